// A proxy between a test and the server of an object store: it counts requests, delays them and fails some.
//
//	proxy -kind s3|azure|gcs -listen HOST:PORT -server HOST:PORT -control HOST:PORT
//
// Paths and queries are passed on byte for byte, so that signatures stay valid. The control address speaks JSON:
//
//	GET  /counts   what has been seen since the last reset (type Counts)
//	POST /reset    counts from nothing, and neither delays nor fails any more
//	POST /behave   how to behave from now on (type Behaviour)
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Fault is what happens to every n-th request of an operation (all operations, if it is empty).
type Fault struct {
	Operation string `json:"operation"`
	Every     int    `json:"every"`
	// "status": an answer of that status. "reset": the connection is cut before the answer. "truncate": it is cut
	// within the body. "hang": no answer until the client gives up.
	Kind   string `json:"kind"`
	Status int    `json:"status"`
	Match  string `json:"match"` // only requests whose path and query contain this
	Times  int    `json:"times"` // so often at most; 0: without end
	seen   int
	done   int
}

type Behaviour struct {
	DelayMs int      `json:"delay_ms"`
	Faults  []*Fault `json:"faults"`
}

// Request is one line of the log.
type Request struct {
	Operation string `json:"operation"`
	URL       string `json:"url"`
	Range     string `json:"range"`
	Status    int    `json:"status"`
	Bytes     int64  `json:"bytes"`
}

// Counts: operations are "list", "get", "head", "write", "delete" and "other".
type Counts struct {
	Operations  map[string]int `json:"operations"`
	InFlight    map[string]int `json:"in_flight"`
	Peak        map[string]int `json:"peak"` // most requests of an operation at once
	Connections int            `json:"connections"`
	Bytes       int64          `json:"bytes"` // of answers' bodies
	Faults      int            `json:"faults"`
	Requests    []Request      `json:"requests"`
}

type Proxy struct {
	kind, server string
	transport    http.Transport
	mutex        sync.Mutex
	behaviour    Behaviour
	counts       Counts
}

func (p *Proxy) reset() {
	inFlight := p.counts.InFlight
	if inFlight == nil {
		inFlight = map[string]int{}
	}
	p.behaviour = Behaviour{}
	p.counts = Counts{Operations: map[string]int{}, InFlight: inFlight, Peak: map[string]int{}, Requests: []Request{}}
}

func (p *Proxy) operation(r *http.Request) string {
	switch r.Method {
	case http.MethodPut, http.MethodPost:
		return "write"
	case http.MethodDelete:
		return "delete"
	}
	path, query := strings.Trim(r.URL.EscapedPath(), "/"), r.URL.Query()
	parts := strings.Split(path, "/")
	object := false
	switch p.kind {
	case "s3":
		if query.Has("list-type") {
			return "list"
		}
		object = len(parts) > 1
	case "azure": // /account/container/blob
		if query.Get("comp") == "list" {
			return "list"
		}
		object = len(parts) > 2
	case "gcs": // /storage/v1/b/bucket/o/object, or /bucket/object
		if strings.HasPrefix(path, "storage/v1/b") {
			if len(parts) == 5 && parts[4] == "o" {
				return "list"
			}
			if len(parts) > 5 && query.Get("alt") != "media" {
				return "head"
			}
			object = len(parts) > 5
		} else {
			object = len(parts) > 1
		}
	}
	switch {
	case object && r.Method == http.MethodHead:
		return "head"
	case object && r.Method == http.MethodGet:
		return "get"
	}
	return "other"
}

// begin counts a request, and says how it shall fare.
func (p *Proxy) begin(operation, url string) (delay time.Duration, fault *Fault) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.counts.Operations[operation]++
	p.counts.InFlight[operation]++
	p.counts.Peak[operation] = max(p.counts.Peak[operation], p.counts.InFlight[operation])
	for _, f := range p.behaviour.Faults {
		if f.Operation != "" && f.Operation != operation || !strings.Contains(url, f.Match) {
			continue
		}
		f.seen++
		if f.seen%max(f.Every, 1) == 0 && fault == nil && (f.Times == 0 || f.done < f.Times) {
			f.done++
			p.counts.Faults++
			fault = f
		}
	}
	return time.Duration(p.behaviour.DelayMs) * time.Millisecond, fault
}

func (p *Proxy) end(r Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.counts.InFlight[r.Operation]--
	p.counts.Bytes += r.Bytes
	p.counts.Requests = append(p.counts.Requests, r)
}

// cut ends the connection without an answer, or within it.
func cut() { panic(http.ErrAbortHandler) }

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	done := Request{Operation: p.operation(r), URL: r.RequestURI, Range: r.Header.Get("Range")}
	if done.Range == "" {
		done.Range = r.Header.Get("X-Ms-Range")
	}
	delay, fault := p.begin(done.Operation, r.RequestURI)
	defer func() { p.end(done) }()
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
		return
	}
	if fault != nil {
		switch fault.Kind {
		case "status":
			done.Status = fault.Status
			w.WriteHeader(fault.Status)
			return
		case "hang":
			// The end of the request's body has to be awaited, or the client's leaving goes unnoticed.
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return
		case "reset":
			cut()
		}
	}

	path, query, _ := strings.Cut(r.RequestURI, "?")
	if p.kind == "gcs" && done.Operation == "list" && !strings.Contains(query, "maxResults") {
		query += "&maxResults=1000" // as the service does; the server has no limit of its own
	}
	out := r.Clone(r.Context())
	out.URL = &url.URL{Scheme: "http", Host: p.server, Opaque: path, RawQuery: query}
	out.RequestURI = ""
	answer, err := p.transport.RoundTrip(out)
	if err != nil {
		if r.Context().Err() == nil {
			log.Printf("%s %s: %v", r.Method, r.RequestURI, err)
			done.Status = http.StatusBadGateway
			w.WriteHeader(done.Status)
		}
		return
	}
	defer answer.Body.Close()
	done.Status = answer.StatusCode
	for name, values := range answer.Header {
		if name != "Connection" && name != "Keep-Alive" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.StatusCode)
	if fault != nil && fault.Kind == "truncate" {
		done.Bytes, _ = io.CopyN(w, answer.Body, max(answer.ContentLength/2, 1))
		w.(http.Flusher).Flush()
		cut()
	}
	done.Bytes, _ = io.Copy(w, answer.Body)
}

func (p *Proxy) control(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/counts" {
		p.settle()
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch r.URL.Path {
	case "/counts":
		json.NewEncoder(w).Encode(p.counts)
	case "/reset":
		p.reset()
	case "/behave":
		behaviour := Behaviour{}
		if err := json.NewDecoder(r.Body).Decode(&behaviour); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.behaviour = behaviour
	default:
		http.NotFound(w, r)
	}
}

// settle waits for requests whose answers the client has already, but not for hanging ones.
func (p *Proxy) settle() {
	for i := 0; i < 100; i++ {
		p.mutex.Lock()
		running := 0
		for _, n := range p.counts.InFlight {
			running += n
		}
		p.mutex.Unlock()
		if running == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func main() {
	kind := flag.String("kind", "", "s3, azure or gcs")
	listen := flag.String("listen", "", "address for clients")
	server := flag.String("server", "", "address of the server")
	control := flag.String("control", "", "address of the control")
	flag.Parse()
	p := &Proxy{kind: *kind, server: *server}
	p.transport = http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	p.reset()
	go func() { log.Fatal(http.ListenAndServe(*control, http.HandlerFunc(p.control))) }()
	front := http.Server{Addr: *listen, Handler: p, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			p.mutex.Lock()
			p.counts.Connections++
			p.mutex.Unlock()
		}
	}}
	if err := front.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

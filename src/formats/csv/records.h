// Where records and fields begin and end. Agrees in all with arrow::csv::BlockParser: a quote is
// one only where a field begins; what follows a closing quote belongs to the field as it stands.
#pragma once

#include <cstring>
#include <string_view>

#include "formats/text/bytes.h"

namespace shoal::formats::csv {

struct Dialect {
  char delimiter = ',';
  char quote = '"';
  bool quoting = true;
  bool double_quote = true;
  char escape = '\\';
  bool escaping = false;
  char comment = '#';
  bool comments = false;  // lines that begin with `comment` are none
};

class RecordReader {
 public:
  enum Outcome {
    kRecord,
    kBlank,       // a line without a byte
    kComment,     // a line that is left out
    kEnd,         // there is nothing more
    kUnfinished,  // a record that ends beyond the text; at the end of a file: nowhere
  };

  /// `text` begins where a record begins. `final`: what follows is the end of the file.
  RecordReader(const Dialect& dialect, std::string_view text, bool final)
      : dialect_(dialect),
        end_(text.data() + text.size()),
        final_(final),
        next_(text.data()),
        begin_(text.data()),
        finder_(
            text::ByteSet(dialect.delimiter, '\n', '\r', dialect.escaping ? dialect.escape : '\n'),
            text.data(), end_) {}

  /// Calls field(index, begin, end) for each field as it stands, quotes included.
  template <typename OnField>
  Outcome Next(OnField&& field) {
    begin_ = next_;
    open_quote_ = nullptr;
    if (begin_ == end_) return kEnd;
    if (dialect_.comments && *begin_ == dialect_.comment) return Comment();
    const char* field_begin = begin_;
    int fields = 0;
    while (true) {
      if (dialect_.quoting && field_begin < end_ && *field_begin == dialect_.quote) {
        const char* close = CloseOf(field_begin);
        if (!close) {
          open_quote_ = field_begin;
          return kUnfinished;
        }
        finder_.SkipTo(close + 1);
      }
      const char* found = finder_.Next();
      while (dialect_.escaping && found < end_ && *found == dialect_.escape) {
        if (end_ - found < 2) return kUnfinished;
        finder_.SkipTo(found + 2);
        found = finder_.Next();
      }
      if (found == end_) {
        if (!final_) return kUnfinished;
        field(fields++, field_begin, end_);
        next_ = end_;
        fields_ = fields;
        return kRecord;
      }
      if (*found == dialect_.delimiter) {
        field(fields++, field_begin, found);
        field_begin = found + 1;
        continue;
      }
      if (*found == '\r' && found + 1 == end_ && !final_) return kUnfinished;
      next_ = AfterLine(found);
      if (found == begin_) return kBlank;
      field(fields++, field_begin, found);
      fields_ = fields;
      return kRecord;
    }
  }

  /// Where the record just read begins, and where the one after it would.
  const char* begin() const { return begin_; }
  const char* next() const { return next_; }
  /// Of the record just read.
  int fields() const { return fields_; }
  /// What is unfinished: the quoted value, or the record.
  const char* unfinished() const { return open_quote_ ? open_quote_ : begin_; }

 private:
  /// `line_end` is a CR or LF.
  const char* AfterLine(const char* line_end) {
    const char* next = line_end + 1;
    if (*line_end == '\r' && next < end_ && *next == '\n') finder_.SkipTo(++next);
    return next;
  }

  Outcome Comment() {
    finder_.SkipTo(begin_);
    const char* found = finder_.Next();
    while (found < end_ && *found != '\n' && *found != '\r') found = finder_.Next();
    if (found == end_) {
      if (!final_) return kUnfinished;
      next_ = end_;
      return kComment;
    }
    if (*found == '\r' && found + 1 == end_ && !final_) return kUnfinished;
    next_ = AfterLine(found);
    return kComment;
  }

  /// The quote that closes the one at `open`; nullptr: it is not there.
  const char* CloseOf(const char* open) const {
    for (const char* at = open + 1; at < end_; ++at) {
      if (dialect_.escaping) {
        while (at < end_ && *at != dialect_.quote) at += *at == dialect_.escape ? 2 : 1;
        if (at >= end_) return nullptr;
      } else {
        at = static_cast<const char*>(
            std::memchr(at, dialect_.quote, static_cast<size_t>(end_ - at)));
        if (!at) return nullptr;
      }
      if (at + 1 == end_) return final_ ? at : nullptr;
      if (!dialect_.double_quote || at[1] != dialect_.quote) return at;
      ++at;
    }
    return nullptr;
  }

  const Dialect& dialect_;
  const char* const end_;
  const bool final_;
  const char* next_;
  const char* begin_;
  int fields_ = 0;
  const char* open_quote_ = nullptr;
  text::ByteFinder finder_;
};

}  // namespace shoal::formats::csv

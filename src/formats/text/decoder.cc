#include "formats/text/decoder.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <utility>

#include <arrow/util/compression.h>

#include "base/path.h"

namespace shoal::formats::text {

namespace {

using arrow::Compression;
using arrow::Status;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// As iconv writes what Python writes `utf_16_le`, `latin-1` or `euc_jp`, too; empty if it knows
/// none of that name.
std::string IconvName(const std::string& encoding) {
  std::string dashed = encoding;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  std::string joined = dashed;
  if (const size_t dash = joined.rfind('-'); dash != joined.npos) joined.erase(dash, 1);
  for (const std::string& name : {encoding, dashed, joined}) {
    const iconv_t known = iconv_open("UTF-8", name.c_str());
    if (known == reinterpret_cast<iconv_t>(-1)) continue;
    iconv_close(known);
    return name;
  }
  return "";
}

/// A step of decoding: what goes in is used up before more is fed.
class Stage {
 public:
  virtual ~Stage() = default;
  /// Takes bytes off the front of `in` and appends to `out` at most about `limit` bytes. `last`:
  /// `in` is all that there is.
  virtual Status Step(std::string_view* in, bool last, int64_t limit, std::string* out) = 0;
  /// Whether the stage holds nothing that it could still give.
  virtual bool drained() const = 0;
};

class Unpack final : public Stage {
 public:
  Unpack(std::string path, Compression::type type) : path_(std::move(path)), type_(type) {}

  Status Init() {
    auto codec = arrow::util::Codec::Create(type_);
    if (!codec.ok()) return codec.status().WithMessage("'", path_, "': ", codec.status().message());
    codec_ = *std::move(codec);
    return codec_->MakeDecompressor().Value(&decompressor_);
  }

  Status Step(std::string_view* in, bool last, int64_t limit, std::string* out) override {
    while (limit > 0 && (!in->empty() || full_)) {
      if (between_members_) {
        // Members after each other, as `cat` makes them; zeros are padding.
        if (type_ == Compression::GZIP && in->front() == '\0') {
          in->remove_prefix(std::min(in->find_first_not_of('\0'), in->size()));
          continue;
        }
        ARROW_RETURN_NOT_OK(decompressor_->Reset());
        between_members_ = false;
      }
      const size_t before = out->size();
      const int64_t room = std::min<int64_t>(limit, 256 << 10);
      out->resize(before + room);
      auto done = decompressor_->Decompress(static_cast<int64_t>(in->size()),
                                            reinterpret_cast<const uint8_t*>(in->data()), room,
                                            reinterpret_cast<uint8_t*>(out->data() + before));
      if (!done.ok()) {
        return done.status().WithMessage("'", path_, "' is corrupt: its ", Name(),
                                         " data can't be unpacked: ", done.status().message());
      }
      out->resize(before + done->bytes_written);
      in->remove_prefix(done->bytes_read);
      limit -= done->bytes_written;
      started_ |= done->bytes_read > 0;
      full_ = done->bytes_written == room || done->need_more_output;
      if (decompressor_->IsFinished()) {
        between_members_ = true;
        full_ = false;
      } else if (done->bytes_read == 0 && done->bytes_written == 0) {
        // It waits for more than there is.
        full_ = false;
        if (in->empty() || last) break;
        return Status::IOError("'", path_, "' is corrupt: its ", Name(), " data goes on nowhere");
      }
    }
    if (last && !full_ && !between_members_ && limit > 0) {
      return Status::IOError("'", path_, "' is truncated: its ", Name(),
                             " data ends before its end is reached");
    }
    return Status::OK();
  }

  bool drained() const override { return !full_; }

 private:
  std::string_view Name() const {
    return type_ == Compression::GZIP   ? "gzip"
           : type_ == Compression::BZ2  ? "bzip2"
           : type_ == Compression::ZSTD ? "zstd"
                                        : "lz4";
  }

  const std::string path_;
  const Compression::type type_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::util::Decompressor> decompressor_;
  bool full_ = false;  // it may have more to give for what it got
  bool between_members_ = false;
  bool started_ = false;
};

class Recode final : public Stage {
 public:
  Recode(std::string path, std::string encoding)
      : path_(std::move(path)), encoding_(std::move(encoding)) {}
  ~Recode() override {
    if (iconv_ != reinterpret_cast<iconv_t>(-1)) iconv_close(iconv_);
  }
  Status Init() {
    iconv_ = iconv_open("UTF-8", IconvName(encoding_).c_str());
    if (iconv_ == reinterpret_cast<iconv_t>(-1)) return CheckEncoding(encoding_);
    return Status::OK();
  }

  Status Step(std::string_view* in, bool last, int64_t limit, std::string* out) override {
    // A character may be cut by the end of what was fed; it is kept with what comes next.
    pending_.append(*in);
    *in = {};
    char* from = pending_.data();
    size_t left = pending_.size();
    while (left > 0 && limit > 0) {
      const size_t before = out->size();
      const size_t room = std::min<size_t>(static_cast<size_t>(limit) + 16, 256 << 10);
      out->resize(before + room);
      char* to = out->data() + before;
      size_t to_left = room;
      const size_t result = iconv(iconv_, &from, &left, &to, &to_left);
      const int error = errno;
      out->resize(before + room - to_left);
      limit -= static_cast<int64_t>(room - to_left);
      if (result != static_cast<size_t>(-1) || error == E2BIG) continue;
      if (error == EINVAL && !last) break;
      return Status::Invalid("'", path_, "' is not text in the encoding ", encoding_, ": byte ",
                             recoded_ + static_cast<int64_t>(pending_.size() - left),
                             " of it begins no character");
    }
    const size_t used = pending_.size() - left;
    waiting_ = left > 0 && limit > 0;
    recoded_ += static_cast<int64_t>(used);
    pending_.erase(0, used);
    return Status::OK();
  }

  bool drained() const override { return pending_.empty() || waiting_; }

 private:
  const std::string path_, encoding_;
  iconv_t iconv_ = reinterpret_cast<iconv_t>(-1);
  std::string pending_;
  bool waiting_ = false;  // for the rest of a character
  int64_t recoded_ = 0;
};

class Plain final : public Decoder {
 public:
  void Feed(std::shared_ptr<arrow::Buffer> bytes, bool last) override {
    bytes_ = std::move(bytes);
    rest_ = std::string_view(*bytes_);
    last_ = last;
  }
  arrow::Result<bool> Decode(int64_t limit, std::string* text) override {
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(limit));
    text->append(taken);
    rest_.remove_prefix(taken.size());
    return !rest_.empty();
  }
  bool finished() const override { return last_ && rest_.empty(); }

 private:
  std::shared_ptr<arrow::Buffer> bytes_;
  std::string_view rest_;  // of bytes_
  bool last_ = false;
};

class Stages final : public Decoder {
 public:
  explicit Stages(std::vector<std::unique_ptr<Stage>> stages) : stages_(std::move(stages)) {}

  void Feed(std::shared_ptr<arrow::Buffer> bytes, bool last) override {
    bytes_ = std::move(bytes);
    rest_ = bytes_ ? std::string_view(*bytes_) : std::string_view();
    last_ = last;
    done_ = false;
  }

  arrow::Result<bool> Decode(int64_t limit, std::string* text) override {
    const size_t before = text->size();
    if (stages_.size() == 1) {
      ARROW_RETURN_NOT_OK(stages_[0]->Step(&rest_, last_, limit, text));
    } else {
      between_.clear();
      ARROW_RETURN_NOT_OK(stages_[0]->Step(&rest_, last_, limit, &between_));
      std::string_view middle = between_;
      const bool last = last_ && rest_.empty() && stages_[0]->drained();
      do {
        ARROW_RETURN_NOT_OK(stages_[1]->Step(&middle, last, limit, text));
      } while (!stages_[1]->drained());
    }
    done_ = rest_.empty() && std::all_of(stages_.begin(), stages_.end(),
                                         [](const auto& stage) { return stage->drained(); });
    return text->size() > before || !done_;
  }

  bool finished() const override { return last_ && done_; }

 private:
  std::vector<std::unique_ptr<Stage>> stages_;
  std::shared_ptr<arrow::Buffer> bytes_;
  std::string_view rest_;  // of bytes_
  std::string between_;
  bool last_ = false, done_ = true;
};

}  // namespace

Compression::type CompressionOf(std::string_view path) {
  static constexpr std::pair<std::string_view, Compression::type> kEndings[] = {
      {".gz", Compression::GZIP},   {".bz2", Compression::BZ2},       {".zst", Compression::ZSTD},
      {".zstd", Compression::ZSTD}, {".lz4", Compression::LZ4_FRAME},
  };
  for (const auto& [ending, type] : kEndings) {
    if (base::EndsWithIgnoringCase(path, ending)) return type;
  }
  return Compression::UNCOMPRESSED;
}

bool IsUtf8Encoding(std::string_view encoding) {
  std::string name = Lower(encoding);
  std::replace(name.begin(), name.end(), '_', '-');
  // A byte order mark is no data in any case: Python's -sig says no more.
  if (name.ends_with("-sig")) name.resize(name.size() - 4);
  return name.empty() || name == "utf-8" || name == "utf8" || name == "ascii" || name == "us-ascii";
}

Status CheckEncoding(const std::string& encoding) {
  if (IsUtf8Encoding(encoding) || !IconvName(encoding).empty()) return Status::OK();
  return Status::Invalid("encoding is '", encoding,
                         "', which this machine does not know; utf-8, latin1 and utf-16 are some "
                         "that it may");
}

std::unique_ptr<Decoder> Decoder::MakePlain() { return std::make_unique<Plain>(); }

arrow::Result<std::unique_ptr<Decoder>> Decoder::Make(const std::string& path,
                                                      const std::string& encoding) {
  std::vector<std::unique_ptr<Stage>> stages;
  if (const auto type = CompressionOf(path); type != Compression::UNCOMPRESSED) {
    auto unpack = std::make_unique<Unpack>(path, type);
    ARROW_RETURN_NOT_OK(unpack->Init());
    stages.push_back(std::move(unpack));
  }
  if (!IsUtf8Encoding(encoding)) {
    auto recode = std::make_unique<Recode>(path, encoding);
    ARROW_RETURN_NOT_OK(recode->Init());
    stages.push_back(std::move(recode));
  }
  if (stages.empty()) return nullptr;
  return std::make_unique<Stages>(std::move(stages));
}

}  // namespace shoal::formats::text

// Facts of text files, read from their beginnings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/infer_from.h>

#include "formats/text/decoder.h"

namespace shoal::formats::text {

/// Decodes a file from its beginning on, as far as it takes to know its facts.
class BeginningReader : public FactsReader {
 public:
  arrow::Result<Step> Next(Resident got) final;

 protected:
  /// At first there are up to `limit` bytes of text.
  BeginningReader(std::shared_ptr<const SourceFile> file, std::string encoding, int64_t limit)
      : file_(std::move(file)), limit_(limit), encoding_(std::move(encoding)) {}

  /// Takes in text(), up to all() that there is. The facts; or nothing, and then it is called again
  /// with up to `limit_` bytes of text, which it has raised if it needs more.
  virtual arrow::Result<std::optional<Step>> TakeText() = 0;
  /// What is to be read next.
  virtual NeedBytes Need() const = 0;

  /// The next `length` bytes of the file, or what is left of it.
  ByteRange Following(int64_t length) const;
  /// Whether the bytes are unpacked or recoded: then offsets in the file are none in the text.
  bool is_coded() const { return decoder_ != nullptr; }
  /// Whether text() goes to the end of the file.
  bool all() const { return decoder_ ? decoder_->finished() : read_ == size_; }

  const std::shared_ptr<const SourceFile> file_;
  int64_t limit_;                // of text_
  int64_t size_ = 0, read_ = 0;  // of the file
  std::string text_;             // not taken in yet
  /// What Need() asked for besides what follows, in that order.
  std::vector<std::shared_ptr<arrow::Buffer>> places_;

 private:
  const std::string encoding_;
  std::unique_ptr<Decoder> decoder_;
  bool opened_ = false;
};

/// Reads as much as the types of columns are found from: small files whole; of larger ones the
/// beginning, and some places after it.
class SampleReader : public BeginningReader {
 protected:
  SampleReader(std::shared_ptr<const SourceFile> file, std::string encoding, InferFrom infer)
      : BeginningReader(std::move(file), std::move(encoding), kWhole), infer_(infer) {}

  NeedBytes Need() const final;
  bool reads_all() const { return infer_ == InferFrom::kAll || (!is_coded() && size_ <= kWhole); }
  void RaiseLimit();

 private:
  /// Files up to this size are read whole.
  static constexpr int64_t kWhole = int64_t{1} << 20;
  const InferFrom infer_;
};

}  // namespace shoal::formats::text

#include "formats/text/decoder.h"

#include <arrow/io/compressed.h>
#include <arrow/io/memory.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "must.h"

namespace shoal::formats::text {
namespace {

using oracle::Must;

std::string Packed(const std::string& text, arrow::Compression::type type) {
  auto codec = Must(arrow::util::Codec::Create(type));
  auto sink = Must(arrow::io::BufferOutputStream::Create());
  auto stream = Must(arrow::io::CompressedOutputStream::Make(codec.get(), sink));
  Must(stream->Write(text));
  Must(stream->Close());
  return Must(sink->Finish())->ToString();
}

/// Feeds so many bytes at once, and takes so many.
arrow::Result<std::string> Decoded(const std::string& bytes, const std::string& path,
                                   const std::string& encoding, size_t feed, int64_t take) {
  ARROW_ASSIGN_OR_RAISE(auto decoder, Decoder::Make(path, encoding));
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += feed) {
    const std::string part = bytes.substr(at, feed);
    decoder->Feed(arrow::Buffer::FromString(part), at + feed >= bytes.size());
    while (true) {
      const size_t before = text.size();
      ARROW_ASSIGN_OR_RAISE(const bool more, decoder->Decode(take, &text));
      EXPECT_LE(text.size() - before, static_cast<size_t>(take) + 64);
      if (!more) break;
    }
  }
  EXPECT_TRUE(decoder->finished());
  return text;
}

std::string SomeText() {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919 % 10007) + ",\xC3\xA9\n";
  return text;
}

class EachPacking
    : public testing::TestWithParam<std::pair<const char*, arrow::Compression::type>> {};

TEST_P(EachPacking, IsUnpackedHoweverItComes) {
  const auto& [ending, type] = GetParam();
  const std::string path = std::string("x.csv") + ending;
  const std::string text = SomeText();
  // Members after each other are one file.
  const std::string bytes = Packed(text, type) + Packed("", type) + Packed("end", type);
  for (size_t feed : {size_t{1}, size_t{7}, size_t{1000}, bytes.size()}) {
    for (int64_t take : {1000, 1 << 20}) {
      EXPECT_EQ(Must(Decoded(bytes, path, "", feed, take)), text + "end") << feed << " " << take;
    }
  }
}

TEST_P(EachPacking, CutAnywhereIsAnErrorThatNamesTheFile) {
  const auto& [ending, type] = GetParam();
  const std::string path = std::string("x.csv") + ending;
  const std::string bytes = Packed("some text, some text, some text, some text\n", type);
  for (size_t length = 1; length < bytes.size(); ++length) {
    const auto decoded = Decoded(bytes.substr(0, length), path, "", 1000, 1000);
    ASSERT_FALSE(decoded.ok()) << length;
    EXPECT_TRUE(decoded.status().message().starts_with("'" + path + "' is "))
        << decoded.status().message();
  }
}

INSTANTIATE_TEST_SUITE_P(Decoder, EachPacking,
                         testing::Values(std::pair{".gz", arrow::Compression::GZIP},
                                         std::pair{".bz2", arrow::Compression::BZ2},
                                         std::pair{".zst", arrow::Compression::ZSTD},
                                         std::pair{".zstd", arrow::Compression::ZSTD},
                                         std::pair{".LZ4", arrow::Compression::LZ4_FRAME}));

TEST(Decoder, RecodesHoweverItComes) {
  for (size_t feed : {1, 2, 3, 100}) {
    EXPECT_EQ(Must(Decoded("caf\xE9\n", "x.csv", "latin1", feed, 1000)), "caf\xC3\xA9\n");
    const std::string utf16(
        "\xFF\xFE"
        "a\0,\0\x3D\xD8\x00\xDE\n\0",
        12);
    EXPECT_EQ(Must(Decoded(utf16, "x.csv", "UTF-16", feed, 1000)), "a,\xF0\x9F\x98\x80\n");
  }
  std::string wide;
  for (char c : std::string("packed and recoded")) wide += std::string(1, c) + '\0';
  EXPECT_EQ(Must(Decoded(Packed(wide, arrow::Compression::GZIP), "x.gz", "UTF-16LE", 5, 1000)),
            "packed and recoded");
}

TEST(Decoder, TextThatIsNotInTheEncodingIsAnErrorThatNamesTheFile) {
  const auto decoded = Decoded(std::string("a\0\xDC", 3), "x.csv", "UTF-16LE", 1, 1000);
  EXPECT_EQ(decoded.status().message(),
            "'x.csv' is not text in the encoding UTF-16LE: byte 2 of it begins no character");
}

TEST(Decoder, KnowsEncodingsAsPythonWritesThem) {
  for (const char* name : {"latin-1", "latin_1", "Latin1", "iso8859_1", "ISO-8859-1", "cp1252"})
    EXPECT_EQ(Must(Decoded("caf\xE9\n", "x.csv", name, 3, 1000)), "caf\xC3\xA9\n") << name;
  for (const char* name : {"utf_16_le", "utf-16-le", "UTF-16LE", "utf_16le"})
    EXPECT_EQ(Must(Decoded(std::string("a\0b\0", 4), "x.csv", name, 3, 1000)), "ab") << name;
  EXPECT_FALSE(CheckEncoding("latin-111").ok());
}

TEST(Decoder, PlainTextNeedsNone) {
  for (const char* name : {"", "utf-8", "utf_8", "UTF8", "utf-8-sig", "utf_8_sig", "ascii"})
    EXPECT_EQ(Must(Decoder::Make("x.csv", name)), nullptr) << name;
  EXPECT_EQ(CompressionOf("a/b.csv.GZ"), arrow::Compression::GZIP);
  EXPECT_EQ(CompressionOf("a.gz/b"), arrow::Compression::UNCOMPRESSED);
}

}  // namespace
}  // namespace shoal::formats::text

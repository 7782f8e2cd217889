// SPDX-License-Identifier: MIT
// Keys, signatures, signed records, and statements.
#include "core/support/signing.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/benchmark/synthetic.h"
#include "core/record/record.h"
#include "core/record/signature_file.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Signature, IsThatOfRfc8032) {
    // Section 7.1, test 3: a key, the message af82 and its signature.
    const auto key = public_key_from_hex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");
    ASSERT_TRUE(key);
    const std::string signature =
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a";
    EXPECT_TRUE(is_signature(*key, "\xaf\x82", signature));
    EXPECT_FALSE(is_signature(*key, "\xaf\x83", signature));
    std::string other = signature;
    other[5] = other[5] == '0' ? '1' : '0';
    EXPECT_FALSE(is_signature(*key, "\xaf\x82", other));
    EXPECT_FALSE(is_signature(*key, "\xaf\x82", ""));
    EXPECT_FALSE(is_signature(*key, "\xaf\x82", signature.substr(2)));
    EXPECT_FALSE(is_signature(PublicKey{}, "\xaf\x82", signature));
}

class Keys : public ::testing::Test {
  protected:
    testing::TemporaryFolder folder;
    fs::path file = folder.path() / "me.key";
};

TEST_F(Keys, AreReadBackAndSign) {
    const auto key = SigningKey::generate();
    ASSERT_TRUE(key);
    ASSERT_TRUE(key->save(file));
    const auto read = SigningKey::load(file);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->public_key(), key->public_key());
    EXPECT_EQ(*load_public_key(folder.path() / "me.key.pub"), key->public_key());
    EXPECT_EQ(*public_key_from(key->public_key().hex()), key->public_key());
    EXPECT_TRUE(is_signature(key->public_key(), "hello", *read->sign("hello")));
    EXPECT_NE(SigningKey::generate()->public_key(), key->public_key());
}

TEST_F(Keys, AreKnownToOpenssl) {
    ASSERT_TRUE(SigningKey::generate()->save(file));
    if (std::system("openssl version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no openssl program";
    EXPECT_EQ(std::system(("openssl pkey -in '" + file.string() + "' -noout -text > /dev/null").c_str()), 0);
}

TEST_F(Keys, AreForTheirOwnerOnly) {
    ASSERT_TRUE(SigningKey::generate()->save(file));
    struct stat status {};
    ASSERT_EQ(stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    for (const unsigned mode : {0640U, 0604U, 0620U, 0644U}) {
        ASSERT_EQ(chmod(file.c_str(), mode), 0);
        const auto refused = SigningKey::load(file);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(refused.error().message, HasSubstr("may be read by others: chmod 600 it"));
    }
}

TEST_F(Keys, ArePlainFilesOfTheirOwner) {
    ASSERT_TRUE(SigningKey::generate()->save(file));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2) << "nothing unfinished is left";
    ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(SigningKey::load(folder.path() / "pipe").error().message, HasSubstr("is not a plain file"));
    EXPECT_THAT(SigningKey::load(folder.path()).error().message, HasSubstr("is not a plain file"));
    if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
    ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
    EXPECT_THAT(SigningKey::load(file).error().message, HasSubstr("belongs to another user"));
}

TEST_F(Keys, LeaveNothingOfAKilledProcess) {
    testing::write_text(folder.path() / ".iir2d-999999999-0.tmp", "half a key");
    ASSERT_TRUE(SigningKey::generate()->save(file));
    EXPECT_FALSE(fs::exists(folder.path() / ".iir2d-999999999-0.tmp"));
}

TEST_F(Keys, ReplaceNothing) {
    testing::write_text(file, "precious");
    const auto refused = SigningKey::generate()->save(file);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::unwritable_output);
    EXPECT_EQ(testing::read_text(file), "precious");
    fs::remove(file);
    testing::write_text(folder.path() / "me.key.pub", "precious");
    EXPECT_FALSE(SigningKey::generate()->save(file));
    EXPECT_FALSE(fs::exists(file));
    fs::create_symlink(folder.path() / "elsewhere", folder.path() / "link.key");
    EXPECT_FALSE(SigningKey::generate()->save(folder.path() / "link.key"));
    EXPECT_FALSE(fs::exists(folder.path() / "elsewhere"));
}

TEST_F(Keys, ThatAreNoneAreRefused) {
    EXPECT_EQ(SigningKey::load(file).error().kind, ErrorKind::bad_input);
    for (const std::string& text :
         {std::string(), std::string("nonsense"), std::string(70'000, 'x'),
          std::string("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")}) {
        testing::write_text(file, text);
        ASSERT_EQ(chmod(file.c_str(), 0600), 0);
        EXPECT_EQ(SigningKey::load(file).error().kind, ErrorKind::bad_input);
        EXPECT_EQ(load_public_key(file).error().kind, ErrorKind::bad_input);
    }
    EXPECT_FALSE(public_key_from_hex("abc"));
    EXPECT_FALSE(public_key_from_hex(std::string(63, 'a') + "G"));
    EXPECT_FALSE(public_key_from_hex(std::string(64, 'A')));
}

class SignedRecord : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto written = write_record(testing::sample_record(), directory, key);
        ASSERT_TRUE(written) << written.error().message;
    }
    testing::TemporaryFolder folder;
    fs::path directory = folder.path() / "record";
    SigningKey key = *SigningKey::generate();
};

TEST_F(SignedRecord, IsAcceptedAndNamesItsSigner) {
    const auto verification = verify_record(directory);
    ASSERT_TRUE(verification);
    EXPECT_THAT(verification->problems, IsEmpty());
    EXPECT_EQ(verification->signer, key.public_key());
    EXPECT_EQ(verification->record_id, load_record(directory)->record_id);
    fs::remove(directory / "SHA256SUMS.sig");
    EXPECT_EQ(verify_record(directory)->signer, std::nullopt);
    EXPECT_EQ(testing::problems_of(directory), "");
}

TEST_F(SignedRecord, NamesTheFileOfAnyAlteredByte) {
    // In each file, and in 200 random places in all.
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(directory))
        files[entry.path().filename().string()] = testing::read_text(entry.path());
    ASSERT_EQ(files.size(), 8U);
    std::vector<std::string> names;
    for (const auto& [name, content] : files) names.push_back(name);
    std::map<std::string, int> altered;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const std::string& name = names[i < names.size() ? i : splitmix64(1, i) % names.size()];
        std::string bad = files[name];
        const std::size_t place = splitmix64(2, i) % bad.size();
        bad[place] = static_cast<char>(bad[place] ^ static_cast<char>(1 + splitmix64(3, i) % 255));
        testing::write_text(directory / name, bad);
        EXPECT_THAT(testing::problems_of(directory), HasSubstr(name)) << "byte " << place;
        testing::write_text(directory / name, files[name]);
        ++altered[name];
    }
    EXPECT_EQ(altered.size(), 8U);
    EXPECT_EQ(testing::problems_of(directory), "");
}

TEST_F(SignedRecord, IsNotAcceptedWithSumsThatFitAnotherRecord) {
    // Everything altered with care, but for the signature.
    std::string text = testing::read_text(directory / "record.json");
    text.replace(text.find("Debian"), 6, "debian");
    text = testing::sealed(nlohmann::json::parse(text));
    const auto record = record_from_json(text);
    ASSERT_TRUE(record) << record.error().message;
    testing::write_text(directory / "record.json", text);
    testing::write_text(directory / "record.csv", record_to_csv(*record));
    testing::write_text(directory / "record.md", record_to_markdown(*record));
    testing::refresh_sums(directory);
    EXPECT_THAT(testing::problems_of(directory),
                HasSubstr("SHA256SUMS.sig: it is not the signature of SHA256SUMS"));
    // With another's signature it is another's record.
    const auto other = *SigningKey::generate();
    testing::write_text(directory / "SHA256SUMS.sig",
                        *signature_file_text(other, testing::read_text(directory / "SHA256SUMS")));
    EXPECT_EQ(verify_record(directory)->signer, other.public_key());
    EXPECT_THAT(testing::problems_of(directory),
                HasSubstr("statement.json: it is not what record.json gives"));
}

TEST_F(SignedRecord, MayNotListItsSignature) {
    const auto sums = testing::read_text(directory / "SHA256SUMS");
    testing::write_text(directory / "SHA256SUMS", std::string(64, '0') + "  SHA256SUMS.sig\n" + sums);
    EXPECT_THAT(testing::problems_of(directory), HasSubstr("which no file of a record can be"));
}

TEST_F(SignedRecord, HasAStatementOfItsFiles) {
    const json statement = json::parse(testing::read_text(directory / "statement.json"));
    EXPECT_EQ(statement.at("_type"), "https://in-toto.io/Statement/v1");
    EXPECT_EQ(statement.at("subject").size(), 3U);
    const auto sums = testing::read_text(directory / "SHA256SUMS");
    for (const auto& subject : statement.at("subject")) {
        EXPECT_THAT(sums, HasSubstr(subject.at("digest").at("sha256").get<std::string>() + "  " +
                                    subject.at("name").get<std::string>() + "\n"));
    }
    const auto& predicate = statement.at("predicate");
    EXPECT_EQ(predicate.at("runDetails").at("metadata").at("invocationId"),
              verify_record(directory)->record_id);
    EXPECT_EQ(predicate.at("buildDefinition").at("resolvedDependencies").at(0).at("digest").at("gitCommit"),
              "0123456789abcdef0123456789abcdef01234567");
    // SLSA wants URIs.
    EXPECT_EQ(predicate.at("buildDefinition").at("buildType"), "iir2d-workbench:benchmark-record/v1");
    EXPECT_EQ(predicate.at("runDetails").at("builder").at("id"), "iir2d-workbench:bench");
}

TEST_F(SignedRecord, HasItsStatement) {
    fs::remove(directory / "SHA256SUMS.sig");
    fs::remove(directory / "statement.json");
    testing::refresh_sums(directory);
    EXPECT_THAT(testing::problems_of(directory), HasSubstr("statement.json: it is missing"));
}

TEST_F(SignedRecord, ClearsAwayAnOldUnfinishedOne) {
    const fs::path old = folder.path() / ".iir2d-999999999-0.tmp",
                   fresh = folder.path() / ".iir2d-999999999-1.tmp";
    for (const auto& left : {old, fresh}) {
        fs::create_directory(left);
        testing::write_text(left / "record.json", "{");
    }
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
    ASSERT_TRUE(write_record(testing::sample_record(), folder.path() / "another"));
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(fresh)) << "it may be that of a process on another machine";
}

TEST(SignatureFileText, IsReadOnlyAsWritten) {
    const auto key = *SigningKey::generate();
    const std::string text = *signature_file_text(key, "sums");
    const auto file = parse_signature_file(text);
    ASSERT_TRUE(file);
    EXPECT_TRUE(signs(*file, "sums"));
    EXPECT_FALSE(signs(*file, "sums\n"));
    EXPECT_FALSE(is_signature(file->key, "sums", file->signature)) << "signed with what it is in front";
    for (const std::string& bad : {std::string(), text + "\n", text.substr(1),
                                   text.substr(0, text.size() - 1), std::string(text.size(), 'a')})
        EXPECT_FALSE(parse_signature_file(bad));
}

}  // namespace
}  // namespace workbench

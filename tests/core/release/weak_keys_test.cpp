// SPDX-License-Identifier: MIT
// Keys and signatures that are good ones for OpenSSL and must not be for us.
#include <gmock/gmock.h>

#include "core/record/signature_file.h"
#include "core/support/signing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

const std::string zeros = std::string(64, '0');

// "edff...ff7f": `first`, ff 30 times, `last`.
std::string filled(const std::string& first, const std::string& last) {
    std::string text = first;
    for (int i = 0; i < 30; ++i) text += "ff";
    return text + last;
}

// The eight points whose order divides 8: the multiples of one of order 8, computed from the curve's equation
// (RFC 8032, section 5.1).
const std::vector<std::string> small_order = {
    "0100000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    filled("ec", "7f"),
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"};

// Those of them that can be written otherwise: x = 0 with a sign, and y + 2^255 - 19 with each sign.
const std::vector<std::string> small_order_otherwise = {
    "0100000000000000000000000000000000000000000000000000000000000080",
    filled("ec", "ff"),
    filled("ed", "7f"),
    filled("ed", "ff"),
    filled("ee", "7f"),
    filled("ee", "ff")};

// S = 1 and R the base point, of which S is the multiple. Holds for every message where h A is the neutral
// point, h being a hash of the message.
const std::string of_anybody =
    "5866666666666666666666666666666666666666666666666666666666666666"
    "0100000000000000000000000000000000000000000000000000000000000000";

PublicKey bytes_of(const std::string& hex) {
    PublicKey key;
    for (std::size_t i = 0; i < key.bytes.size(); ++i)
        key.bytes[i] = static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
    return key;
}

TEST(WeakKeys, SignNothing) {
    auto all = small_order;
    all.insert(all.end(), small_order_otherwise.begin(), small_order_otherwise.end());
    for (const auto& hex : all) {
        EXPECT_FALSE(public_key_from_hex(hex)) << hex;
        EXPECT_FALSE(public_key_from(hex)) << hex;
        const PublicKey key = bytes_of(hex);
        for (int i = 0; i < 64; ++i) {
            EXPECT_FALSE(is_signature(key, "message " + std::to_string(i), of_anybody)) << hex << " " << i;
            for (const auto& r : all) EXPECT_FALSE(is_signature(key, std::to_string(i), r + zeros)) << hex;
        }
    }
}

TEST(WeakKeys, AreRefusedWithTheReason) {
    EXPECT_THAT(
        public_key_from(small_order[1]).error().message,
        HasSubstr("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a is refused: it is a "
                  "point of small order, for which anybody can make signatures"));
    EXPECT_THAT(public_key_from(filled("ee", "7f")).error().message,
                HasSubstr("its y is 2^255 - 19 or more"));
    EXPECT_TRUE(public_key_from_hex("5866666666666666666666666666666666666666666666666666666666666666"));
}

// Those with y of 2^255 - 19 and more; 2^255 - 19 + 2 is on no small-order point.
TEST(WeakKeys, HaveOneNameEach) {
    for (const char* first : {"ed", "ee", "ef", "f0", "ff"}) {
        for (const char* last : {"7f", "ff"}) EXPECT_FALSE(public_key_from_hex(filled(first, last)));
    }
    EXPECT_TRUE(public_key_from_hex(filled("eb", "7f")));
}

// Of the key and message of RFC 8032, section 7.1, test 3.
TEST(WeakSignatures, HaveOneFormEach) {
    const auto key = public_key_from_hex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");
    ASSERT_TRUE(key);
    const std::string message = "\xaf\x82";
    const std::string good =
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a";
    EXPECT_TRUE(is_signature(*key, message, good));
    // Its S and the group's order.
    EXPECT_FALSE(is_signature(*key, message,
                              "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                              "05d391b0a77904e98404ef037747a56e4a7c15e9716ed28dc027beceea1ec41a"));
    // With R the neutral point, computed with the test's private key: S = h a.
    const std::string s = "89653588ead4771e2326253c8cc167ed5f891f0c238314c9d136bb6e54f2f206";
    EXPECT_FALSE(is_signature(*key, message, small_order[0] + s));
    // The same point written otherwise.
    EXPECT_FALSE(is_signature(*key, message, small_order_otherwise[0] + s));
    EXPECT_FALSE(is_signature(*key, message, filled("ee", "7f") + s));
}

// A record's signature is judged by the same function.
TEST(WeakSignatures, AreNoneOfARecord) {
    const std::string text = "iir2d-signature 1\nalgorithm ed25519\npublic-key " + small_order[0] +
                             "\nsignature " + of_anybody + "\n";
    EXPECT_FALSE(parse_signature_file(text));
    SignatureFile file;
    file.key = bytes_of(small_order[0]);
    file.signature = of_anybody;
    EXPECT_FALSE(signs(file, "0000  record.json\n"));
}

}  // namespace
}  // namespace workbench

// SPDX-License-Identifier: MIT
#include "core/support/try.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "core/support/error.h"

namespace {

using workbench::ErrorKind;
using workbench::fail;
using workbench::Result;

Result<int> half(int number, int& calls) {
    ++calls;
    if (number % 2 != 0) return fail(ErrorKind::bad_argument, std::to_string(number) + " is odd");
    return number / 2;
}

Result<std::string> quarter(int number, int& calls) {
    IIR2D_TRY(const auto first, half(number, calls));
    int second = 0;
    IIR2D_TRY(second, half(first, calls));
    return std::to_string(second);
}

Result<void> check_half(int number, int& calls) {
    IIR2D_RETURN_IF_ERROR(half(number, calls));
    return {};
}

TEST(Try, GivesTheValueOrReturnsTheError) {
    int calls = 0;
    EXPECT_EQ(quarter(12, calls), "3");
    EXPECT_EQ(calls, 2);
    const auto odd = quarter(6, calls);
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().kind, ErrorKind::bad_argument);
    EXPECT_EQ(odd.error().message, "3 is odd");
    EXPECT_EQ(calls, 4);
    EXPECT_FALSE(quarter(5, calls));
    EXPECT_EQ(calls, 5) << "what follows an error is not evaluated";
}

TEST(Try, ChecksWithoutAValue) {
    int calls = 0;
    EXPECT_TRUE(check_half(4, calls));
    const auto odd = check_half(3, calls);
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().message, "3 is odd");
    EXPECT_EQ(calls, 2) << "each expression is evaluated once";
}

Result<std::unique_ptr<int>> boxed(int number) {
    return std::make_unique<int>(number);
}

Result<int> unboxed(int number) {
    IIR2D_TRY(const auto box, boxed(number));  // a value that can only be moved
    return *box;
}

Result<std::size_t> size_of_pair() {
    IIR2D_TRY(const auto pair, Result<std::map<int, int>>(std::map<int, int>{{1, 2}, {3, 4}}));  // commas
    return pair.size();
}

Result<void> copy_of(const Result<std::string>& named, std::string& out) {
    IIR2D_TRY(out, named);
    return {};
}

TEST(Try, MovesValuesAndTakesCommas) {
    EXPECT_EQ(unboxed(7), 7);
    EXPECT_EQ(size_of_pair(), 2U);
}

TEST(Try, LeavesANamedResultAsItWas) {
    const Result<std::string> named(std::string(100, 'a'));
    std::string out;
    EXPECT_TRUE(copy_of(named, out));
    EXPECT_EQ(out, *named);
}

TEST(FromKernel, ConvertsErrorsAndKeepsValues) {
    EXPECT_EQ(workbench::from_kernel(iir2d::Result<int>(3)), 3);
    EXPECT_TRUE(workbench::from_kernel(iir2d::Result<void>()));
    const iir2d::Result<int> failed =
        std::unexpected(iir2d::Error{iir2d::ErrorCode::cuda_error, "the device is gone"});
    const auto converted = workbench::from_kernel(failed);
    ASSERT_FALSE(converted);
    EXPECT_EQ(converted.error().kind, ErrorKind::device_failure);
    EXPECT_EQ(converted.error().message, "the device is gone");
}

}  // namespace

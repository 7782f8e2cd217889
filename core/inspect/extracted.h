// SPDX-License-Identifier: MIT
// What is known of an extracted kernel where it is inside the language of core/synth.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compile/extract.h"
#include "core/synth/judge.h"

namespace workbench::inspect {

struct Inside {
    bool is_inside = false;
    std::string reason;              // why not, with the line; or what keeps it from being verified
    synth::Tree tree;                // of one that is inside
    synth::Backward backward;        // where it was asked for
    std::vector<synth::Text> texts;  // besides those that were extracted: the host's, and all backward ones
    std::vector<synth::Target> targets;  // of texts and verifications
    std::vector<synth::Verification> verifications;
    std::string mismatch;  // what a text gives that it must not; empty: nothing
};

// Parses the kernel; compiles it for the host and, where asked for, its backward kernel for the host and the
// extracted targets; runs all, those that were extracted too, up to the first mismatch. bad_input: a text of
// the kernel does not compile, ends what compiles or runs it, or is not done by the deadline of `extracted`.
Result<Inside> look_inside(const compile::Extracted& extracted, const compile::ExtractRequest& request,
                           bool backward, const std::stop_token& stop);

}  // namespace workbench::inspect

// SPDX-License-Identifier: MIT
// Release records: a directory with the evidence for a release, a log of all that was done, and what follows
// from it.
//
//   log.jsonl     what happened, hash-chained; the truth
//   release.json  what the release is, made from the log
//   release.md    a checklist for people, made from the log and the evidence
//   evidence/     what was attached
//
// Every change takes the directory's lock, so that two processes come one after the other, and is done when
// its line is in the log: the evidence is in place before, the two derived files follow. A process killed in
// between leaves files that are one entry behind, or evidence that the log does not know; both are said by
// verify_release() and put right by the next change.
//
// A function that reads evidence may take long and takes a TaskControl; stopped, it returns `cancelled` and
// changes nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/release/gates.h"
#include "core/release/state.h"
#include "core/support/signing.h"
#include "core/support/task.h"

namespace workbench {

struct NewRelease {
    std::string id;
    Stage stage = Stage::dev;
    std::string commit;
    double max_regression = 0.25;              // of gate C; 0 to 1
    std::map<std::string, PublicKey> holders;  // role to key; rc and ga need one of each, all different
};

// Makes `base`/id, which must not exist. bad_argument, unwritable_output.
Result<void> new_release(const std::filesystem::path& base, const NewRelease& release);

// Copies the evidence in. `name` empty: the file's own. `commit` where the kind asks for it. Reads it as its
// kind and refuses what cannot be read (bad_input), names that are unsafe or taken, content that is attached
// as this kind already (bad_argument). Returns the attachment's name.
Result<std::string> attach(const std::filesystem::path& directory, const std::string& kind,
                           const std::filesystem::path& file, std::string name, const std::string& commit,
                           const TaskControl& control = {});

// Adds a waiver. bad_argument: the scope cannot be waived, a text is empty, the date is not one or is past by
// the clock.
Result<void> waive(const std::filesystem::path& directory, const Waiver& waiver);

// Signs. `seen` is the hash that release show printed: a release that changed since is not signed
// (check_failed). bad_argument: the key is not the role's.
Result<void> sign_off(const std::filesystem::path& directory, const std::string& role,
                      const std::string& person, const SigningKey& key, const std::string& seen,
                      const TaskControl& control = {});

// Promotes and closes the release, once. check_failed with the first thing that is missing.
Result<void> promote(const std::filesystem::path& directory, const TaskControl& control = {});

struct Release {
    ReleaseState state;
    Evaluation evaluation;  // as of now; of a promoted release as of its promotion
};
// Reads and evaluates a release. bad_input when there is none, or its log is not as it was written.
Result<Release> load_release(const std::filesystem::path& directory, const TaskControl& control = {});

struct ReleaseVerification {
    std::vector<std::string> checked;
    std::vector<std::string> notes;     // left by a killed process; put right by the next change
    std::vector<std::string> problems;  // each names the file and what is wrong; empty means accepted
};
// Verifies the directory; changes nothing. bad_input when there is no release at all.
Result<ReleaseVerification> verify_release(const std::filesystem::path& directory,
                                           const TaskControl& control = {});

// Writes the release as one archive, `file`.tar.gz, .tgz or .tar, whole or not at all, and returns its
// SHA-256. It holds the folder `id` with what the log knows of and nothing else, which verify_release()
// accepts where it is unpacked; the same release gives the same bytes. check_failed when it does not verify,
// bad_argument for another kind of name or one within the release.
Result<std::string> export_release(const std::filesystem::path& directory, const std::filesystem::path& file,
                                   const TaskControl& control = {});

// Return the content of release.json and of release.md.
std::string release_json(const ReleaseState& state);
std::string release_markdown(const ReleaseState& state, const Evaluation& evaluation);

}  // namespace workbench

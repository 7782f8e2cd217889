// SPDX-License-Identifier: MIT
// release: evidence, waivers and signatures for a release, and whether it may be promoted.
#include <cstdio>
#include <memory>
#include <type_traits>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "core/release/release.h"
#include "core/release/requirements.h"
#include "core/support/listed.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;
using workbench::listed;

namespace {

namespace fs = std::filesystem;

struct ReleaseArguments {
    std::string base = "release_records";
    std::string id;
    std::string stage;
    std::string commit;
    std::string max_regression = "25%";
    std::vector<std::string> roles;
    std::string kind;
    std::string file;
    std::string name;
    workbench::Waiver waiver;
    std::string role;
    std::string person;
    std::string key;
    std::string seen;
    std::string archive;
    bool json = false;
    bool quiet = false;

    Result<fs::path> directory() const {
        if (!workbench::is_safe_name(id))
            return fail(ErrorKind::bad_argument, workbench::shown(id) + " is not the id of a release");
        return fs::path(base) / id;
    }
};

Result<int> run_new(const ReleaseArguments& a) {
    workbench::NewRelease release{.id = a.id, .commit = a.commit, .holders = {}};
    IIR2D_TRY(release.stage, workbench::stage_from_name(a.stage));
    IIR2D_TRY(release.max_regression, parse_part("--max-regression", a.max_regression));
    for (const auto& text : a.roles) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals + 1 == text.size())
            return fail(ErrorKind::bad_argument, "--role \"" + text + "\" is not ROLE=KEY");
        IIR2D_TRY(const auto key, workbench::public_key_from(text.substr(equals + 1)));
        if (!release.holders.emplace(text.substr(0, equals), key).second)
            return fail(ErrorKind::bad_argument, "the role " + text.substr(0, equals) + " is given twice");
    }
    std::error_code error;
    fs::create_directories(a.base, error);
    IIR2D_RETURN_IF_ERROR(workbench::new_release(a.base, release));
    note("release " + a.id + " begun in " + (fs::path(a.base) / a.id).string(), a.quiet);
    return 0;
}

Result<int> run_attach(const ReleaseArguments& a, const fs::path& directory) {
    IIR2D_TRY(const auto name, workbench::attach(directory, a.kind, a.file, a.name, a.commit));
    note("attached as evidence/" + name, a.quiet);
    return 0;
}

Result<int> run_waive(const ReleaseArguments& a, const fs::path& directory) {
    IIR2D_RETURN_IF_ERROR(workbench::waive(directory, a.waiver));
    note(a.waiver.scope + " waived until " + a.waiver.expires, a.quiet);
    return 0;
}

Result<int> run_sign_off(const ReleaseArguments& a, const fs::path& directory) {
    IIR2D_TRY(const auto key, workbench::SigningKey::load(a.key));
    IIR2D_RETURN_IF_ERROR(workbench::sign_off(directory, a.role, a.person, key, a.seen));
    note("signed off as " + a.role, a.quiet);
    return 0;
}

void print_gates(const workbench::Evaluation& evaluation) {
    for (const auto& gate : workbench::gates()) {
        std::printf("gate %c: %s\n", gate.letter, std::string(gate.name).c_str());
        for (const auto& r : evaluation.requirements) {
            if (r.gate() != gate.letter) continue;
            const char* state = r.met ? "ok" : r.waived ? "waived" : r.needed ? "MISSING" : "later";
            std::printf("  %-8s %-30s %s\n", state, shown(r.id).c_str(), shown(r.finding).c_str());
            if (r.needed && !r.holds()) std::printf("  %-39s to do: %s\n", "", shown(r.remedy).c_str());
        }
    }
}

Json json_of(const workbench::Release& release) {
    Json requirements = Json::array();
    for (const auto& r : release.evaluation.requirements) {
        requirements.push_back({{"id", r.id},
                                {"title", r.title},
                                {"needed", r.needed},
                                {"met", r.met},
                                {"waived", r.waived},
                                {"finding", r.finding},
                                {"remedy", r.remedy}});
    }
    Json json = Json::parse(workbench::release_json(release.state));
    json["as_of"] = release.evaluation.as_of;
    json["requirements"] = requirements;
    json["blockers"] = release.evaluation.blockers();
    return json;
}

Result<int> run_evaluate(const ReleaseArguments& a, const fs::path& directory) {
    IIR2D_TRY(const auto release, workbench::load_release(directory));
    if (a.json) {
        print_json(json_of(release));
    } else if (!a.quiet) {
        print_gates(release.evaluation);
    }
    const auto blocker = release.evaluation.first_blocker();
    if (blocker.empty()) return 0;
    return fail(ErrorKind::check_failed, "the release may not be promoted: " + blocker);
}

Result<int> run_show(const ReleaseArguments& a, const fs::path& directory) {
    IIR2D_TRY(const auto release, workbench::load_release(directory));
    if (a.json) {
        print_json(json_of(release));
    } else {
        print_text(workbench::release_markdown(release.state, release.evaluation));
        std::printf("\nseen %s\n", shown(release.state.seen()).c_str());
    }
    return 0;
}

Result<int> run_promote(const ReleaseArguments& a, const fs::path& directory) {
    IIR2D_RETURN_IF_ERROR(workbench::promote(directory));
    note("release " + a.id + " promoted", a.quiet);
    return 0;
}

Result<int> run_export(const ReleaseArguments& a, const fs::path& directory,
                       const Interruption& interruption) {
    Progress progress(interruption.token(), a.quiet);
    const auto hash = workbench::export_release(directory, a.archive, progress.control());
    progress.clear();
    if (!hash) return std::unexpected(hash.error());
    if (!a.quiet) std::printf("%s  %s\n", hash->c_str(), shown(a.archive).c_str());
    return 0;
}

Result<int> run_verify_release(const ReleaseArguments& a, const fs::path& directory) {
    IIR2D_TRY(const auto v, workbench::verify_release(directory));
    if (!a.quiet) {
        for (const auto& text : v.checked) std::printf("ok       %s\n", shown(text).c_str());
        for (const auto& text : v.notes) std::printf("note     %s\n", shown(text).c_str());
        for (const auto& text : v.problems) std::printf("problem  %s\n", shown(text).c_str());
    }
    if (!v.problems.empty()) {
        return fail(ErrorKind::check_failed, "the release \"" + a.id + "\" is not accepted: " +
                                                 v.problems.front() + workbench::and_more(v.problems.size()));
    }
    if (!a.quiet) std::printf("accepted %s\n", shown(directory).c_str());
    return 0;
}

std::vector<std::string> role_names() {
    return {workbench::release_roles.begin(), workbench::release_roles.end()};
}

}  // namespace

void add_release_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "release", "Gather evidence for a release, and check whether it may be promoted");
    command->require_subcommand(1);
    auto a = std::make_shared<ReleaseArguments>();
    enum class Access { reads, writes };
    const auto sub = [&](const char* name, const char* help, Access access, auto run) {
        CLI::App* one = command->add_subcommand(name, help);
        one->add_option("ID", a->id, "The release's name")->required();
        one->add_option("--dir", a->base, "The folder of releases")->capture_default_str();
        one->callback([a, run, access, &chosen] {
            chosen = [a, run, access]([[maybe_unused]] const Interruption& interruption) -> Result<int> {
                if (access == Access::writes) outlive_readers();
                IIR2D_TRY(const auto directory, a->directory());
                if constexpr (std::is_invocable_v<decltype(run), const ReleaseArguments&, const fs::path&,
                                                  const Interruption&>) {
                    return run(*a, directory, interruption);
                } else {
                    return run(*a, directory);
                }
            };
        });
        return one;
    };
    CLI::App* make = sub("new", "Begin a release", Access::writes,
                         [](const ReleaseArguments& r, const fs::path&) { return run_new(r); });
    make->add_option("--stage", a->stage, workbench::needs_of_stages())->required();
    make->add_option("--commit", a->commit, "The commit to release: 40 hex digits")->required();
    make->add_option("--max-regression", a->max_regression, "How much slower than the baseline a case may be")
        ->capture_default_str();
    make->add_option("--role", a->roles,
                     "ROLE=KEY, a public key file or its digits, once for each of " +
                         listed(role_names(), "and") + "; " + workbench::stages_with_keys() +
                         " need all of them")
        ->allow_extra_args(false);
    add_quiet(*make, a->quiet);

    CLI::App* attach = sub("attach", "Copy evidence into the release", Access::writes, run_attach);
    attach
        ->add_option("KIND", a->kind,
                     workbench::joined(workbench::evidence_kinds(), ", ", &workbench::EvidenceKind::name))
        ->required();
    attach->add_option("FILE", a->file, "A file, or a record directory")->required();
    attach->add_option("--name", a->name, "The evidence's name in the release (default: the file's)");
    attach->add_option("--commit", a->commit, "The commit that a report is about: 40 hex digits");
    add_quiet(*attach, a->quiet);

    CLI::App* waive = sub("waive", "Waive a requirement for a time", Access::writes, run_waive);
    waive
        ->add_option("--scope", a->waiver.scope,
                     "issue:ID of an open P1, or " + workbench::waivable_requirements())
        ->required();
    waive->add_option("--risk", a->waiver.risk, "What may go wrong")->required();
    waive->add_option("--owner", a->waiver.owner, "Who is responsible for the waiver")->required();
    waive->add_option("--expires", a->waiver.expires, "The last day on which the waiver counts, YYYY-MM-DD")
        ->required();
    add_quiet(*waive, a->quiet);

    CLI::App* sign = sub("sign-off", "Sign what release show shows", Access::writes, run_sign_off);
    sign->add_option("--role", a->role, listed(role_names(), "or"))->required();
    sign->add_option("--person", a->person, "Who signs")->required();
    sign->add_option("--key", a->key, "The role's private key")->required();
    sign->add_option("--seen", a->seen, "The hash that release show printed")->required();
    add_quiet(*sign, a->quiet);

    CLI::App* evaluate =
        sub("evaluate", "Print which requirements are met and which are not; exit code 5 when one is not",
            Access::reads, run_evaluate);
    evaluate->add_flag("--json", a->json, "Print JSON");
    add_quiet(*evaluate, a->quiet);
    CLI::App* promote = sub("promote", "Promote and close the release; exit code 5 when it may not be",
                            Access::writes, run_promote);
    add_quiet(*promote, a->quiet);
    CLI::App* show =
        sub("show", "Print the release as a report, and the hash to sign", Access::reads, run_show);
    show->add_flag("--json", a->json, "Print JSON");
    CLI::App* verify =
        sub("verify", "Check the log, the signatures and every file", Access::reads, run_verify_release);
    add_quiet(*verify, a->quiet);
    CLI::App* archive =
        sub("export", "Write the release as one archive, and print its SHA-256", Access::writes, run_export);
    archive->add_option("FILE", a->archive, "NAME.tar.gz or NAME.tar; the same release gives the same bytes")
        ->required();
    add_quiet(*archive, a->quiet);
}

}  // namespace app

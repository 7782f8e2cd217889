// SPDX-License-Identifier: MIT
// From the text of record.json to a record, by the table of its members. The text may come from a stranger.
#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/record/layout_reader.h"
#include "core/record/record.h"
#include "core/record/record_layout.h"
#include "core/support/canonical_json.h"
#include "core/support/escaped.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"

namespace workbench {

namespace layout {

Result<void> check_seal(std::string_view text, const JsonValue& document, const std::string& seal) {
    const auto refused = [](const std::string& why) { return fail(ErrorKind::bad_input, "the JSON " + why); };
    if (text.starts_with("\xEF\xBB\xBF")) return refused("was changed: it begins with a byte order mark");
    if (const auto at = first_uncanonical_spelling(text)) {
        const auto line = std::ranges::count(text.substr(0, *at), '\n') + 1;
        return refused("was changed: on line " + std::to_string(line) +
                       " a number or text is not spelled as records spell it, " +
                       escaped(text.substr(*at, 30)));
    }
    const std::string content = canonical_sha256_without(document, seal_name);
    if (seal == content) return {};
    return refused("was changed: its content has the SHA-256 " + content + ", its content_sha256 is " + seal);
}

Result<void> check_version(const JsonValue& document, const DocumentKind& kind) {
    const std::string the_name(kind.the_name);
    if (!document.is_object())
        return fail(ErrorKind::bad_input,
                    "the JSON is not a " + std::string(kind.name) + ": it is not an object");
    const auto version = document.find("schema_version");
    if (version == document.end() || !version->is_number_integer() || *version <= kind.schema_version)
        return {};
    return fail(ErrorKind::bad_input, the_name + " has schema version " + version->dump() +
                                          ", newer than the version " + std::to_string(kind.schema_version) +
                                          " that is known here");
}

}  // namespace layout

Result<Record> record_from_json(std::string_view text) {
    constexpr layout::DocumentKind kind{"the record", "record", record_schema_version};
    IIR2D_TRY(const auto document, parse_strictly(text));
    auto known = layout::check_version(document, kind);
    // Before 1.1.0 versions were counted up to 4, and nothing was sealed.
    if (!known && document.is_object() && !document.contains(seal_name)) {
        return fail(ErrorKind::bad_input, "the record has schema version " +
                                              document["schema_version"].dump() + " and no " + seal_name +
                                              ": it is older than iir2d 1.1.0; read it with the version that "
                                              "wrote it, or measure again");
    }
    IIR2D_RETURN_IF_ERROR(std::move(known));
    return layout::read_sealed<Record>(text, document, kind);
}

}  // namespace workbench

// SPDX-License-Identifier: MIT
#if defined(_WIN32)
#include <windows.h>

#include <aclapi.h>
#include <fcntl.h>
#include <io.h>
#include <sddl.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/support/private_file.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

struct LocalMemory {
    void operator()(void* memory) const { LocalFree(memory); }
};
template <class T>
using Local = std::unique_ptr<T, LocalMemory>;

// The user that this process runs as; empty when Windows does not say.
std::vector<std::byte> own_user() {
    HANDLE token = nullptr;
    if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return {};
    DWORD size = 0;
    GetTokenInformation(token, TokenUser, nullptr, 0, &size);
    std::vector<std::byte> user(size);
    if (size == 0 || GetTokenInformation(token, TokenUser, user.data(), size, &size) == 0) user.clear();
    CloseHandle(token);
    return user;
}

PSID sid_in(const std::vector<std::byte>& user) {
    return reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid;
}

bool is_known(PSID sid, WELL_KNOWN_SID_TYPE kind) {
    return IsWellKnownSid(sid, kind) != 0;
}

// Those who may read every file anyway.
bool is_system(PSID sid) {
    return is_known(sid, WinLocalSystemSid) || is_known(sid, WinBuiltinAdministratorsSid) ||
           is_known(sid, WinCreatorOwnerRightsSid);
}

std::string name_of(PSID sid) {
    wchar_t* text = nullptr;
    if (ConvertSidToStringSidW(sid, &text) == 0) return "others";
    const Local<wchar_t> kept(text);
    return utf8_path(fs::path(text));
}

constexpr DWORD reading = FILE_READ_DATA | GENERIC_READ | GENERIC_ALL | WRITE_DAC | WRITE_OWNER;

}  // namespace

std::string who_else_may_read(int descriptor) {
    const auto file = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
    PSID owner = nullptr;
    PACL list = nullptr;
    PSECURITY_DESCRIPTOR all = nullptr;
    if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                        nullptr, &list, nullptr, &all) != ERROR_SUCCESS)
        return "who may read it cannot be told";
    const Local<void> kept(all);
    const auto user = own_user();
    if (user.empty() || owner == nullptr) return "who may read it cannot be told";
    if (EqualSid(owner, sid_in(user)) == 0 && !is_system(owner)) return "it belongs to another user";
    if (list == nullptr) return "everybody may read it";  // as on a FAT file system
    for (DWORD i = 0; i < list->AceCount; ++i) {
        void* entry = nullptr;
        if (GetAce(list, i, &entry) == 0) continue;
        const auto* const header = static_cast<const ACE_HEADER*>(entry);
        if (header->AceType != ACCESS_ALLOWED_ACE_TYPE || (header->AceFlags & INHERIT_ONLY_ACE) != 0)
            continue;
        auto* const allowed = static_cast<ACCESS_ALLOWED_ACE*>(entry);
        PSID who = &allowed->SidStart;
        if ((allowed->Mask & reading) == 0 || EqualSid(who, sid_in(user)) != 0 || is_system(who)) continue;
        return name_of(who) + " may read it";
    }
    return {};
}

FileHandle create_private(const fs::path& path) {
    const auto user = own_user();
    wchar_t* text = nullptr;
    if (user.empty() || ConvertSidToStringSidW(sid_in(user), &text) == 0) {
        errno = EACCES;
        return {};
    }
    // Nothing is inherited from the folder: the user alone has the file.
    const std::wstring asked = L"D:P(A;;FA;;;" + std::wstring(text) + L")";
    LocalFree(text);
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    if (ConvertStringSecurityDescriptorToSecurityDescriptorW(asked.c_str(), SDDL_REVISION_1, &descriptor,
                                                             nullptr) == 0) {
        errno = EACCES;
        return {};
    }
    const Local<void> kept(descriptor);
    SECURITY_ATTRIBUTES attributes{sizeof(SECURITY_ATTRIBUTES), descriptor, FALSE};
    const HANDLE file = CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE | READ_CONTROL, 0, &attributes,
                                    CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) {
        errno = GetLastError() == ERROR_PATH_NOT_FOUND ? ENOENT
                : GetLastError() == ERROR_FILE_EXISTS  ? EEXIST
                                                       : EACCES;
        return {};
    }
    FileHandle handle(_open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_RDWR | _O_BINARY));
    if (!handle) CloseHandle(file);
    return handle;
}

}  // namespace workbench
#endif

// SPDX-License-Identifier: MIT
// What is opened as what, by content.
#include "ui/session/path_kind.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

#include "ui/support/paths.h"

namespace workbench {
namespace {

class PathKindTest : public ::testing::Test {
  protected:
    std::filesystem::path made(const QString& name, const QByteArray& text) const {
        QFile file(folder.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        return toPath(file.fileName());
    }
    QTemporaryDir folder;
};

const std::filesystem::path sourceFolder = IIR2D_SOURCE_DIR;

TEST_F(PathKindTest, ImagesAndWhatIsNothingElse) {
    EXPECT_EQ(kind_of(sourceFolder / "resources/samples/astronaut.png"), PathKind::image);
    EXPECT_EQ(kind_of(sourceFolder / "README.md"), PathKind::image);
    EXPECT_EQ(kind_of(sourceFolder / "no such file"), PathKind::image);
    EXPECT_EQ(kind_of(made(QStringLiteral("empty.json"), "")), PathKind::image);
}

TEST_F(PathKindTest, RecipesByAnyName) {
    EXPECT_EQ(kind_of(sourceFolder / "resources/presets/half-size.json"), PathKind::recipe);
    EXPECT_EQ(kind_of(made(QStringLiteral("picture.png"), " \n{\"operations\": []}")), PathKind::recipe);
    // Its reader says why it is none.
    EXPECT_EQ(kind_of(made(QStringLiteral("broken.iir2d"), "{\"operations\": [")), PathKind::recipe);
    EXPECT_EQ(kind_of(made(QStringLiteral("other.json"), "{\"schema\": 3}")), PathKind::recipe);
}

TEST_F(PathKindTest, RecordsAsFilesAndFolders) {
    EXPECT_EQ(kind_of(sourceFolder / "tests/core/record/golden"), PathKind::record);
    EXPECT_EQ(kind_of(sourceFolder / "tests/core/record/golden/record.json"), PathKind::record);
    EXPECT_EQ(kind_of(made(QStringLiteral("duel.txt"), "{\"schema\": \"iir2d-workbench/duel\"}")),
              PathKind::duel);
    EXPECT_EQ(kind_of(made(QStringLiteral("cut.json"), "{\"schema\": \"iir2d-workbench/record\", \"a")),
              PathKind::record)
        << "its reader says what is wrong";
    EXPECT_EQ(kind_of(made(QStringLiteral("large.json"), "{\"a\": \"" + QByteArray(1 << 20, 'x') + "\"}")),
              PathKind::record);
}

TEST_F(PathKindTest, FoldersOfDuels) {
    made(QStringLiteral("duel.json"), "{}");
    EXPECT_EQ(kind_of(toPath(folder.path())), PathKind::duel);
    EXPECT_EQ(kind_of(toPath(folder.filePath(QStringLiteral("duel.json")))), PathKind::duel);
}

TEST_F(PathKindTest, LibrariesByTheirNames) {
    for (const char* name : {"/usr/lib/libiir2d.so", "/usr/lib/libiir2d.so.1.2.0", "iir2d.dll"})
        EXPECT_EQ(kind_of(name), PathKind::library) << name;
    for (const char* name : {"/usr/lib/a.sort", "my.so.png", "my.so.", "libx.so.1.png"})
        EXPECT_EQ(kind_of(name), PathKind::image) << name;
}

TEST_F(PathKindTest, ReleasesAndOtherFolders) {
    EXPECT_EQ(kind_of(toPath(folder.path())), PathKind::folder);
    made(QStringLiteral("log.jsonl"), "");
    EXPECT_EQ(kind_of(toPath(folder.path())), PathKind::folder);
    made(QStringLiteral("release.json"), "{}");
    EXPECT_EQ(kind_of(toPath(folder.path())), PathKind::release);
}

}  // namespace
}  // namespace workbench

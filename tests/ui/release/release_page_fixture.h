// SPDX-License-Identifier: MIT
// The release page over a release in a folder of its own.
#pragma once

#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <memory>

#include "tests/core/release/release_fixture.h"
#include "ui/release/gate_board.h"
#include "ui/release/release_commands.h"
#include "ui/release/release_page.h"
#include "ui/session/session.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench::testing {

class ReleasePageFixture : public ReleaseFixture {
  protected:
    static constexpr int patience = 20000;

    void SetUp() override {
        ReleaseFixture::SetUp();
        applyTheme(*qApp, Theme::light);
        page->resize(1200, 760);
        page->show();
        QApplication::processEvents();
        for (const auto& [role, key] : keys) ASSERT_TRUE(key.save(folder.path() / role));
    }
    static QString text(const std::filesystem::path& path) {
        return QString::fromStdU16String(path.u16string());
    }
    void settle() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return !page->isBusy(); }, patience));
        QApplication::processEvents();  // new rows are shown by the layout's own events
    }
    void open() {
        page->openDirectory(text(directory));
        settle();
        ASSERT_NE(page->snapshot(), nullptr) << said();
    }
    // What another process does is seen when it has been read.
    void waitForDisk() {
        EXPECT_TRUE(QTest::qWaitFor(
            [this] { return page->messages().has(QStringLiteral("disk")) && !page->isBusy(); }, patience));
    }
    std::string said(const char* subject = "release") const {
        return page->messages().textOf(QLatin1String(subject)).toStdString();
    }
    QWidget* row(const std::string& id) const {
        auto* found = page->board().findChild<QWidget*>(QString::fromStdString(id));
        EXPECT_NE(found, nullptr) << id;
        return found;
    }
    // "A.tests, missing: A green test report on this commit"
    std::string standing(const std::string& id) const { return row(id)->accessibleName().toStdString(); }
    std::string finding(const std::string& id) const {
        return row(id)->accessibleDescription().toStdString();
    }
    QToolButton* button(const std::string& id, const QString& label) const {
        for (auto* one : row(id)->findChildren<QToolButton*>()) {
            if (one->text() == label && one->isVisibleTo(page.get())) return one;
        }
        return nullptr;
    }
    std::string state() const {
        return page->findChild<QLabel*>(QStringLiteral("releaseState"))->text().toStdString();
    }
    QDialog* dialog() const {
        QDialog* shown = nullptr;
        for (auto* one : page->findChildren<QDialog*>()) shown = one->isVisible() ? one : shown;
        return shown;
    }
    void type(const char* name, const QString& what) {
        auto* edit = dialog()->findChild<QLineEdit*>(QLatin1String(name));
        if (!edit) edit = dialog()->findChild<QWidget*>(QLatin1String(name))->findChild<QLineEdit*>();
        ASSERT_NE(edit, nullptr) << name;
        edit->setText(what);
    }
    QPushButton* confirm() const {
        return dialog()->findChild<QPushButton*>(QStringLiteral("confirmButton"));
    }
    void press(QPushButton* one) {
        ASSERT_NE(one, nullptr);
        ASSERT_TRUE(one->isEnabled());
        QTest::mouseClick(one, Qt::LeftButton);
        settle();
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

    Session session;
    std::unique_ptr<ReleasePage> page = std::make_unique<ReleasePage>(session);
};

}  // namespace workbench::testing

"""The page in a real browser: open, filter, open a cell by keyboard, share a link, dark, on a phone, no network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import CELL, NASTY

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page, freshly opened on a desktop."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.set_window_size(1400, 900)
    show(browser, address)
    yield browser
    browser.get("about:blank")


def show(browser: Any, url: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get("about:blank")  # an address that differs in its hash only would not load anew
    browser.get(url)
    WebDriverWait(browser, 20).until(lambda one: one.execute_script("return document.body.dataset.ready === 'yes'"))


def all_of(browser: Any, selector: str) -> list[Any]:
    found: list[Any] = browser.find_elements("css selector", selector)
    return found


def one_of(browser: Any, selector: str) -> Any:
    return browser.find_element("css selector", selector)


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def test_it_opens_with_a_row_for_each_behaviour_and_nothing_in_the_console(page: Any) -> None:
    assert page.title == "2 adapters · LLM adapter conformance"
    assert len(all_of(page, "#summary tbody tr")) == 2
    assert len(all_of(page, ".grid tbody tr")) > 300
    assert one_of(page, "#count").text.endswith("behaviours")
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_it_asks_nothing_of_the_network(page: Any, address: str) -> None:
    told = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [each["params"] for each in told if each["method"] == "Network.requestWillBeSent"]
    mine = {each["request"]["url"] for each in asked if each["documentURL"].startswith("file:")}
    assert mine == {address}


def test_what_an_adapter_says_is_no_markup(page: Any, address: str) -> None:
    show(page, f"{address}#cell={CELL}&of=mine")
    assert NASTY in one_of(page, "#panel").text
    assert all_of(page, "#panel img, #list img") == []
    assert page.title != "taken"


def test_filters_by_api_verdict_and_check(page: Any) -> None:
    one_of(page, "[data-key=api-gemini]").click()
    assert [each.text.split()[0] for each in all_of(page, ".api h2")] == ["gemini"]
    one_of(page, "[data-key=verdict-broken]").click()
    assert [each.text for each in all_of(page, ".grid tbody th")] == ["length-cap"]
    assert "api=gemini" in page.current_url
    assert "verdict=broken" in page.current_url
    one_of(page, "#count button").click()
    assert len(all_of(page, ".grid tbody tr")) > 300
    one_of(page, "[data-key=check] option[value='reason.class']").click()
    one_of(page, "[data-key=verdict-misleading]").click()
    assert [each.text for each in all_of(page, ".grid tbody th")] == ["pause-turn"]
    assert "The ending is not misleading" in one_of(page, "#count").text


def test_search_and_difference(page: Any) -> None:
    press(page, "/")
    press(page, *"pause-turn")
    assert [each.text for each in all_of(page, ".grid tbody th")] == ["pause-turn"]
    assert page.switch_to.active_element.get_attribute("value") == "pause-turn"
    one_of(page, "#count button").click()
    one_of(page, "[data-key=differ]").click()
    rows = [each.text for each in all_of(page, ".grid tbody th")]
    assert "pause-turn" in rows
    assert "natural-end" not in rows


def test_a_cell_opens_by_keyboard_and_gives_the_focus_back(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    one_of(page, "[data-key=verdict-misleading]").click()
    for _ in range(30):
        press(page, Keys.TAB)
        if page.switch_to.active_element.get_attribute("data-cell"):
            break
    assert page.switch_to.active_element.get_attribute("data-cell") == CELL
    press(page, Keys.ENTER)
    panel = one_of(page, "#panel")
    assert panel.is_displayed()
    assert page.switch_to.active_element.get_attribute("id") == "panel"
    for head in ("WHAT CAME BACK", "WHAT WAS ASKED", "WHAT WAS SENT", "WHAT THE WIRE SAID", "EVIDENCE", "RUN IT AGAIN"):
        assert head in panel.text
    assert "reason.class" in panel.text
    assert "continue" in panel.text
    press(page, Keys.ESCAPE)
    assert not panel.is_displayed()
    assert page.switch_to.active_element.get_attribute("data-cell") == CELL
    press(page, Keys.ARROW_RIGHT)
    assert page.switch_to.active_element.get_attribute("data-cell") == CELL.replace("buffered", "streamed")


def test_an_open_cell_follows_the_arrows(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    one_of(page, "td.cell").click()
    first = one_of(page, "#panel h2").text
    press(page, Keys.ARROW_DOWN)
    assert one_of(page, "#panel h2").text != first
    assert len(all_of(page, "td.chosen")) == 1


def test_a_link_shows_the_same_again_and_back_goes_back(page: Any, address: str) -> None:
    one_of(page, "[data-key=api-anthropic-messages]").click()
    one_of(page, f"td[data-cell='{CELL}'][data-of=mine]").click()
    shared = page.current_url
    show(page, shared)
    assert one_of(page, "#panel h2").text == CELL
    assert [each.text.split()[0] for each in all_of(page, ".api h2")] == ["anthropic-messages"]
    assert one_of(page, "td.chosen").is_displayed()
    one_of(page, "#close").click()
    page.back()
    assert one_of(page, "#panel h2").text == CELL
    show(page, f"{address}#cell=gemini/never-was:buffered&of=mine")
    assert "no such cell" in one_of(page, "#panel").text


def test_findings_tell_the_same_problem_once(page: Any) -> None:
    press(page, "f")
    kinds = all_of(page, ".kind")
    assert len(kinds) == 3
    assert "misleading" in kinds[0].text
    one_of(page, f".kind [data-cell='{CELL}']").click()
    assert one_of(page, "#panel h2").text == CELL


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_the_button(page: Any, scheme: str, pictures: Path) -> None:
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    shade = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    assert (max(page.execute_script(shade)) < 60) is (scheme == "dark")
    page.save_screenshot(str(pictures / f"{scheme}.png"))
    for _ in range({"dark": 1, "light": 2}[scheme]):  # as the system has it, light, dark
        one_of(page, "#theme").click()
    assert (max(page.execute_script(shade)) < 60) is (scheme == "light")
    while one_of(page, "#theme").get_attribute("data-theme"):
        one_of(page, "#theme").click()


def test_on_a_phone_nothing_sticks_out_and_a_cell_fills_the_screen(page: Any, address: str, pictures: Path) -> None:
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        show(page, address)
        wide = "return [document.documentElement.scrollWidth, innerWidth]"
        assert page.execute_script(wide) == [390, 390]
        page.save_screenshot(str(pictures / "phone.png"))
        cell = one_of(page, f"td[data-cell='{CELL}'][data-of=mine]")
        page.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
        cell.click()
        panel = one_of(page, "#panel")
        assert panel.rect["width"] == 390
        assert page.execute_script(wide) == [390, 390]
        page.save_screenshot(str(pictures / "phone-cell.png"))
        one_of(page, "#close").click()
        assert not panel.is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

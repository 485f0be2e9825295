"""A page in Chromium, driven by Selenium: what tests do with it and see in it."""

import contextlib
import json
import os
import shutil
import signal

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from inkstate.waiting import PATIENCE, wait_for

# What Selenium calls them.
POINTERS = {"pen": interaction.POINTER_PEN, "touch": interaction.POINTER_TOUCH, "mouse": interaction.POINTER_MOUSE}


# Counts the requests that wait for an answer.
COUNTING = """
  window.sending = 0;
  const original = window.fetch;
  window.fetch = async (...request) => {
    window.sending += 1;
    try { return await original(...request); } finally { window.sending -= 1; }
  };"""


def is_installed():
    """Whether there is a browser and what drives it."""
    return bool(shutil.which("chromedriver") and shutil.which("chromium"))


def start_chromium(width=1280, height=900, is_phone=False, is_paced=False):
    """A Chromium without a window on the screen; unless it is paced, it shows as many frames as it can."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    # A shared studio has a certificate of its own.
    options.accept_insecure_certs = True
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}"]:
        options.add_argument(argument)
    if not is_paced:
        # The driver waits for a frame after each point of a stroke. What moves without end would keep a core busy.
        options.add_argument("--disable-frame-rate-limit")
        options.add_argument("--force-prefers-reduced-motion")
    if is_phone:
        options.add_experimental_option("mobileEmulation", {
            "deviceMetrics": {"width": width, "height": height, "pixelRatio": 2, "touch": True}})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    driver.set_script_timeout(PATIENCE)
    prepare(driver)
    return driver


def end_chromium(driver):
    # By itself, it takes up to half a minute to end.
    os.kill(driver.capabilities["goog:processID"], signal.SIGKILL)
    driver.quit()


def prepare(driver):
    """Makes a new tab ready for pages of tests."""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNTING})


@contextlib.contextmanager
def only_for_now(driver):
    """Leaves nothing of what is done with a Chromium meanwhile but the page of one tab."""
    home = driver.current_window_handle
    try:
        yield
    finally:
        for window in driver.window_handles:
            if window != home:
                driver.switch_to.window(window)
                driver.close()
        driver.switch_to.window(home)
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        driver.set_network_conditions(offline=False, latency=0, throughput=-1)


class Page:
    """One tab, and the keyboard, pen and fingers in it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, address):
        self.driver.get(address)

    def reload(self):
        self.driver.refresh()

    def run(self, script, *arguments):
        """What a script in the page returns; its arguments are `arguments[0]` and so on."""
        return self.driver.execute_script(script, *arguments)

    def run_later(self, script, *arguments):
        """What a script passes to its last argument, later."""
        return self.driver.execute_async_script(script, *arguments)

    def get(self, expression, *arguments):
        """The value of an expression in the page."""
        return self.run(f"return {expression}", *arguments)

    def text(self, selector):
        return self.get("document.querySelector(arguments[0]).textContent", selector)

    def wait(self, expression, what):
        """Waits until an expression in the page is true, and returns its value."""
        return wait_for(lambda: self.get(expression), lambda: f"{what}; the page shows:\n{self.shown()}\n")

    def wait_text(self, selector, text, what=None):
        """Waits until an element has a text."""
        self.wait(f"document.querySelector({json.dumps(selector)})?.textContent === {json.dumps(text)}",
                  what or f"`{text}` in {selector}")

    def shown(self):
        """What can be read on the page."""
        return self.get("(document.querySelector('main > section:not([hidden])') ?? document.body).innerText + '\\n'"
                        " + (document.querySelector('#problem')?.innerText ?? '')")

    def quiet(self):
        """Waits until the page had time for what was begun, and has the answers to what it sent."""
        self.run_later("""
          const done = arguments[0];
          let quiet = 0;
          const look = () => requestAnimationFrame(() => setTimeout(() => {
            quiet = window.sending > 0 ? 0 : quiet + 1;
            return quiet > 2 ? done() : look();
          }));
          look();""")

    # Keyboard and mouse

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        """Clicks an element; one that the page replaces at that moment is looked for again."""

        def clicked():
            try:
                self.find(selector).click()
                return True
            except StaleElementReferenceException:
                return False

        wait_for(clicked, f"{selector} to stay while it is clicked")

    def choose(self, *selectors):
        """Presses buttons, also those in menus that are closed."""
        for selector in selectors:
            self.run("document.querySelector(arguments[0]).click()", selector)

    def choose_text(self, parent, text):
        """Presses the button with a text inside of `parent`."""
        self.run("[...document.querySelectorAll(`${arguments[0]} button`)]"
                 ".find((b) => b.textContent === arguments[1]).click()", parent, text)

    def change(self, selector, value):
        """Gives a field a value, as if it was chosen or typed."""
        self.run("const e = document.querySelector(arguments[0]); e.value = arguments[1];"
                 "e.dispatchEvent(new Event('change'))", selector, value)

    def type(self, selector, text):
        """Types over what a field has."""
        self.type_into(selector, Keys.CONTROL + "a" + Keys.NULL + (text or Keys.BACKSPACE))

    def type_into(self, selector, text):
        """Types into an element, or gives a field for files a path."""
        self.find(selector).send_keys(text)

    def press(self, *keys):
        """Presses keys together, such as Control and z."""
        actions = ActionBuilder(self.driver)
        for key in keys:
            actions.key_action.key_down(key)
        for key in reversed(keys):
            actions.key_action.key_up(key)
        actions.perform()

    # Pen and fingers

    def corner(self, selector):
        """The left top corner of an element in the window."""
        return self.run("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [b.left, b.top]", selector)

    def point(self, selector, *pointers, pace=0):
        """Uses several pens or fingers at once; each is the kind, a name and a list of steps.

        A step is a place on the element, `down`, `up` or `wait`; all pointers take a step at a time,
        in `pace` milliseconds at least.
        """
        left, top = self.corner(selector)
        inputs = [PointerInput(POINTERS[kind], name) for kind, name, _ in pointers]
        actions = ActionBuilder(self.driver, mouse=inputs[0])
        actions.devices += inputs[1:]
        for device, (_, _, steps) in zip(inputs, pointers):
            for step in steps:
                if step == "down":
                    device.create_pointer_down(button=0)
                elif step == "up":
                    device.create_pointer_up(0)
                elif step == "wait":
                    device.create_pause(0)
                else:
                    device.create_pointer_move(duration=pace, x=round(left + step[0]), y=round(top + step[1]))
        actions.perform()

    def draw(self, selector, points, pointer="pen"):
        """Draws from point to point, in pixels from the element's left top corner."""
        self.point(selector, (pointer, pointer, [points[0], "down", *points[1:], "up"]))

    def tap_twice(self, selector, x, y):
        self.point(selector, ("pen", "pen", [(x, y), "down", "up", "down", "up"]))

    # Windows

    def new_window(self, kind="window"):
        """Another page in a window or tab of its own, which is in front."""
        self.driver.switch_to.new_window(kind)
        prepare(self.driver)
        return self.driver.current_window_handle

    @property
    def window(self):
        return self.driver.current_window_handle

    def switch(self, window):
        self.driver.switch_to.window(window)

    def close(self, other):
        """Closes the window in front, and goes on in another."""
        self.driver.close()
        self.switch(other)

    def resize(self, width=None, height=None):
        """Gives the page another size, or the window's again."""
        if width is None:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        else:
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def prefer(self, **features):
        """Prefers what people can choose: prefer(color_scheme="dark")."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]})

    def has_network(self, is_there):
        """Takes the network away, or gives it back."""
        self.driver.set_network_conditions(offline=not is_there, latency=0, throughput=-1)

    def take_picture(self, folder, name):
        os.makedirs(folder, exist_ok=True)
        self.driver.save_screenshot(os.path.join(folder, f"{name}.png"))

"""How time grows: one curve a quantity, drawn as SVG, and a sentence on each."""

import math
import os

from compare import Contender


def growth(arguments, comparison):
    every = len(os.sched_getaffinity(0))
    cores = sorted(os.sched_getaffinity(0))
    seconds = comparison.seconds

    def ask(threads, **request):
        contender = Contender([arguments.rates, str(threads)], set(cores[:threads]))
        answer = contender.ask(**({"network": "drawing", "seconds": seconds} | request))
        contender.end()
        return 1e6 / answer["rate"]

    sizes = [1000, 10_000, 100_000] + ([] if arguments.quick else [1_000_000])
    panels = [
        ("examples", sizes, lambda n: ask(every, task="epoch", batch=64, examples=n),
         "a whole epoch on all cores, with the making of the pictures; what is done once (threads, "
         "weights) weighs on small sets, and large ones leave the caches"),
        ("classes", [3, 10, 30, 100, 345], lambda n: ask(1, task="train", batch=64, classes=n),
         "training on one core; only the last layer grows, 128 weights a class"),
        ("batch", [1, 4, 16, 64, 256, 1024], lambda n: ask(every, task="train", batch=n),
         "training on all cores; small batches have too few slices for all, and each step pays for "
         "the optimiser alone"),
        ("cores", list(range(1, every + 1)), lambda n: ask(n, task="train", batch=256),
         "training with batches of 256"),
        ("image size", [28, 32, 40, 48, 56, 64], lambda n: ask(1, task="train", batch=64, size=n),
         "training on one core; the pixels grow with the square, and at 28 pooling drops a row"),
        ("elements", [10, 100, 1000, 10_000], lambda n: ask(1, task="draw", batch=1, examples=n),
         "from a stroke to the next document on one core: recognition, the command, the step of "
         "undoing; the document is a value, so that each step copies and checks it"),
    ]

    def series(threads=1, batch=16, **request):
        return ask(threads, task="train", network="gesture", batch=batch, **request)

    series_panels = [
        ("steps", [16, 64, 256, 1024, 4096], lambda n: series(steps=n),
         "long series leave the caches between the layers"),
        ("channels", [1, 2, 4, 8, 16, 32, 64], lambda n: series(channels=n),
         "only the first convolution grows, 240 weights a channel"),
        ("units", [16, 32, 64, 128, 256, 512], lambda n: series(units=n),
         "the products of the states grow with the square, and large weights leave the caches"),
        ("batch", [1, 4, 16, 64, 256], lambda n: series(threads=every, batch=n),
         "on all cores; the steps of a slice's examples share one product, so that small batches are slow"),
    ]
    def page(pixels):
        width = round(math.sqrt(pixels * 4 / 3))
        return ask(1, task="infer", network="page", batch=1, width=width, height=3 * width // 4)

    other_panels = [
        ("pixels", [3 * 4**power for power in range(6, 12)], page,
         "a page seen by `page` on one core; above 2.1 million pixels in tiles, whose borders are looked at "
         "twice"),
        ("points", [10, 100, 1000, 10_000, 100_000], lambda n: ask(1, task="label", network="", batch=1, points=n),
         "a stroke of so many points to its label, by the released model on one core; the network takes the same for "
         "any stroke, and each point is drawn"),
        ("strokes", [30, 100, 300] + ([] if arguments.quick else [1000, 3000]),
         lambda n: ask(1, task="recognize", network="", batch=1, examples=n),
         "a drawing of rings and arrows to a diagram on one core; the network sees large ones at a smaller scale, "
         "and above 400 strokes doubtful rings are not tried both ways"),
        ("columns", [64, 128, 256, 512, 1024],
         lambda n: ask(1, task="infer", network="reader", batch=1, width=n),
         "a line of writing on one core; each column costs the same"),
        ("states", [1000, 10_000, 100_000] + ([] if arguments.quick else [1_000_000]),
         lambda n: ask(1, task="minimize", network="", batch=1, examples=n),
         "minimising an automaton, n log n; large ones leave the caches"),
    ]
    return ("## Growth\n\nMicroseconds a picture, `drawing`, or a stroke; where the line is level, time grows in "
            "proportion.\n\n"
            + figure(panels, arguments.growth, "µs a picture", comparison)
            + "\nMicroseconds a series, training `gesture` on one core with batches of 16 series of 60 steps and "
            "6 channels, where nothing else is said.\n\n"
            + figure(series_panels, arguments.growth.replace(".svg", "-series.svg"), "µs a series",
                     comparison)
            + "\nMicroseconds for all of a page, a stroke, a drawing, a line or an automaton.\n\n"
            + figure(other_panels, arguments.growth.replace(".svg", "-other.svg"), "µs", comparison))


def exponent(values, times):
    """The power of the value with which time grows: the slope of the line through the logarithms, by least
    squares."""
    xs, ys = ([math.log(one) for one in ones] for ones in (values, times))
    mean = sum(xs) / len(xs)
    return sum((x - mean) * y for x, y in zip(xs, ys)) / sum((x - mean) ** 2 for x in xs)


def figure(panels, path, unit, comparison):
    """Measures and draws the curves; returns the picture and a sentence on each."""
    curves, sentences = [], []
    for name, values, measure, words in panels:
        times = [measure(value) for value in values]
        curves.append((name, values, times))
        comparison.progress(f"  growth with {name}")
        sentences.append(
            f"- **{name}**, {values[0]:,} to {values[-1]:,}: {times[0]:.1f} to {times[-1]:.1f} µs, "
            f"{times[-1] / times[0]:.2f}× for {values[-1] / values[0]:.4g}× as much"
            + (f", exponent {exponent(values, times):.2f}" if len(values) > 2 else "") + f"; {words}.")
    with open(path, "w") as file:
        file.write(drawn(curves, unit))
    return f"![Time against each quantity]({os.path.basename(path)})\n\n" + "\n".join(sentences) + "\n"


def drawn(curves, unit):
    """One panel a curve, both axes logarithmic, time in powers of 2."""
    most = max(max(times) for _, _, times in curves)
    least = min(min(times) for _, _, times in curves)
    low, high = math.floor(math.log2(least)), math.ceil(math.log2(most))
    parts = []
    for panel, (name, values, times) in enumerate(curves):
        left, top, side = 60 + 230 * panel, 20, 170
        first, last = math.log(values[0]), math.log(max(values[-1], values[0] + 1))

        def place(value, time):
            x = left + side * (math.log(value) - first) / (last - first)
            y = top + side * (high - math.log2(time)) / (high - low)
            return f"{x:.1f},{y:.1f}"

        parts.append(f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" '
                     'stroke="#bbb"/>')
        for power in range(low, high + 1):
            y = top + side * (high - power) / (high - low)
            parts.append(f'<line x1="{left}" x2="{left + side}" y1="{y:.1f}" y2="{y:.1f}" '
                         'stroke="#eee"/>')
            parts.append(f'<text x="{left - 4}" y="{y + 4:.1f}" text-anchor="end">{2 ** power:g}</text>')
        points = [place(value, time) for value, time in zip(values, times)]
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="#06c" '
                     'stroke-width="2"/>')
        for value, point in zip(values, points):
            x, y = point.split(",")
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="#06c"/>')
            parts.append(f'<text x="{x}" y="{top + side + 14}" text-anchor="middle">'
                         f'{value if value < 10000 else f"10^{math.log10(value):.0f}"}</text>')
        parts.append(f'<text x="{left + side / 2}" y="{top + side + 32}" text-anchor="middle" '
                     f'font-weight="bold">{name}</text>')
    width = 60 + 230 * len(curves)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 235" '
            f'font-family="system-ui" font-size="11"><rect width="{width}" height="235" '
            'fill="#fff"/><text x="14" y="105" text-anchor="middle" '
            f'transform="rotate(-90 14 105)">{unit}</text>' + "".join(parts) + "</svg>\n")

#!/usr/bin/env bash
# Trains a reader of printed lines, models/print.safetensors, on free fonts of Debian, and evaluates it on other
# lines in the same fonts and on lines in other fonts. The fonts are downloaded with apt and unpacked in
# runs/print; nothing is installed. scripts/reference/compare-tesseract.py reads the same lines by Tesseract.
# `scripts/train print-reader` runs this.
set -euo pipefail

inkstate=$INKSTATE
runs=runs/print
mkdir -p "$runs"

# The families of each part are in no other part.
declare -A packages=(
  [train]="dejavu-core dejavu-extra liberation freefont-ttf lato roboto-unhinted crosextra-carlito firacode
    inconsolata texgyre quattrocento junction jura averia-sans-gwf adf-universalis adf-baskervald
    gnutypewriter humor-sans breip dkg-handwriting"
  [validation]="open-sans sil-gentium-basic femkeklaver"
  [test]="cantarell crosextra-caladea jetbrains-mono ebgaramond comic-neue"
)
declare -A lines=([train]=30000 [validation]=1500 [test]=2000)
declare -A seeds=([train]=1 [validation]=2 [test]=3)
for part in train validation test; do
  if [ ! -d "$runs/fonts/$part" ]; then
    mkdir -p "$runs/packages/$part" "$runs/fonts"
    (cd "$runs/packages/$part" && apt-get download $(printf 'fonts-%s ' ${packages[$part]}))
    for package in "$runs/packages/$part"/*.deb; do dpkg -x "$package" "$runs/fonts/$part"; done
  fi
  "$inkstate" dataset print --fonts "$runs/fonts/$part" --lines "${lines[$part]}" \
    --seed "${seeds[$part]}" --output "$runs/$part" --force
done
# Other lines in the fonts of training.
"$inkstate" dataset print --fonts "$runs/fonts/train" --lines 2000 --seed 4 --output "$runs/known" --force

"$inkstate" train "$runs/train" --validation "$runs/validation" --architecture models/train/reader-one.json --augment printed \
  --epochs 10 --seed 20261122 --output "$runs/first.safetensors" --force
# English words, whose letter sequences become likelier.
rm -f "$runs"/packages/wamerican-small_*.deb
(cd "$runs/packages" && apt-get download wamerican-small)
dpkg -x "$runs"/packages/wamerican-small_*.deb "$runs/wamerican"
# A second cycle of the learning rate lowers the errors in the fonts for validation a little.
"$inkstate" train "$runs/train" --validation "$runs/validation" --from "$runs/first.safetensors" \
  --words "$runs/wamerican/usr/share/dict/american-english-small" --augment printed --learning-rate 0.002 --epochs 10 \
  --seed 20261123 --output "$runs/uncalibrated.safetensors" --force \
  --license "MIT; trained on text in free fonts of Debian (OFL, GPL with font exception, Apache 2.0 and similar); letters of words: SCOWL (free for any purpose with its notice; Kevin Atkinson 2000-2011)"
"$inkstate" calibrate "$runs/uncalibrated.safetensors" "$runs/validation" \
  --output "$runs/print.safetensors" --force
for lines in known test; do
  "$inkstate" evaluate "$runs/$lines" --model "$runs/print.safetensors" --by writer
done
cp "$runs/print.safetensors" models/print.safetensors

#!/usr/bin/env bash
# Trains the reader that comes with InkReader: on characters of 257 people and lines composed of them, on words
# of 276 people from tablets and photographs, and on drawings that are no writing. `scripts/train reader` runs
# this. The network with one recurrent layer learns the few writers first, then those of UNIPEN; then it gets a
# second recurrent layer, the pen directions beside the ink, more of what people write on automata, two more convolutions,
# words of a list, less dropout, milder variations and q of two strokes, and at last descriptions.
set -euo pipefail

data=$INKSTATE_DATA
characters=$data/characters
inkstate=$INKSTATE
runs=runs/reader
mkdir -p "$runs"

license="MIT; trained on UNIPEN train_r01_v07 (CC BY 4.0 on Zenodo, doi 10.5281/zenodo.1195803; the CD-ROM of 1999 allowed research only; Guyon et al. 1994), Chars74K (free for research; de Campos et al. 2009), Omniglot (MIT), Pen digits, UJIpenchars2 and hdBPMN (CC BY 4.0); what is no writing: \$1 gestures (New BSD), Mixed Multistroke Gestures (open; Anthony and Wobbrock 2012), Quick, Draw! (CC BY 4.0); letters of words: SCOWL (free for any purpose with its notice; Kevin Atkinson 2000-2011)"

cat "$characters"/{chars74k,omniglot,pendigits,uji-digits}.ndjson >"$runs/characters.ndjson"
# Greek letters that look like Latin ones are read as those.
"$inkstate" dataset split "$runs/characters.ndjson" --by writer --validation 0.1 --test 0.1 \
  --map ο=o --map ν=v --map κ=k --map χ=x --map υ=u --map ρ=p --drop ι \
  --seed 7 --output "$runs/characters" --force
# What is no writing: U+FFFD as the label.
none=$(printf '\xef\xbf\xbd')
"$inkstate" dataset import "$data/dollar1" --map arrow="$none" --map star="$none" \
  --map rectangle="$none" --others drop --output "$runs/dollar1.ndjson" --force
"$inkstate" dataset import "$data/mmg" --map arrowhead="$none" --map five_point_star="$none" \
  --map six_point_star="$none" --others drop --output "$runs/mmg.ndjson" --force
"$inkstate" dataset import "$data/quickdraw" --map squiggle="$none" --map zigzag="$none" \
  --map star="$none" --map tornado="$none" --map hurricane="$none" --others drop \
  --output "$runs/quickdraw.ndjson" --force
cat "$runs"/{dollar1,mmg,quickdraw}.ndjson >"$runs/no-writing.ndjson"
"$inkstate" dataset split "$runs/no-writing.ndjson" --by writer --validation 0.1 --test 0.1 \
  --seed 7 --output "$runs/no-writing" --force
for part in train validation test; do
  lines=$([ "$part" = train ] && echo 60 || echo 10)
  "$inkstate" dataset compose lines "$runs/characters/$part.ndjson" --per-writer "$lines" --seed 3 \
    --output "$runs/lines.ndjson" --force
  # Single characters too, of pen digits every sixth, because there are many.
  {
    cat "$runs/lines.ndjson" "$runs/no-writing/$part.ndjson"
    grep -v '"source":"pendigits"' "$runs/characters/$part.ndjson"
    grep '"source":"pendigits"' "$runs/characters/$part.ndjson" | awk 'NR % 6 == 0'
  } >"$runs/$part.ndjson"
done

# Words of other people choose the epoch. The split `val` of words is for the test: inkstate evaluate
# ../shared/data/words --part validation --model models/reader.safetensors
"$inkstate" dataset split "$data/words" --part train --validation 0.1 --test 0 --seed 7 \
  --output "$runs/words" --force

examples=("$runs/train.ndjson" "$runs/words" --validation "$runs/validation.ndjson" --validation "$runs/words")
"$inkstate" train "${examples[@]}" --architecture models/train/reader-one.json \
  --alphabet "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789αβγδεζηθλμξπσςτφψω'+,-.<=>?()[]/$none" \
  --epochs 16 --seed 20261122 --output "$runs/first.safetensors" --force
# Each further cycle of the learning rate lowers the errors on other people's lines once more; the last two
# have the words of photographs twice, which are hardest to learn.
again=("$runs/train.ndjson" "$runs/words" "$runs/words" "${examples[@]:2}")
"$inkstate" train "${examples[@]}" --from "$runs/first.safetensors" --learning-rate 0.002 \
  --epochs 14 --seed 20261123 --output "$runs/second.safetensors" --force
"$inkstate" train "${again[@]}" --from "$runs/second.safetensors" --learning-rate 0.002 \
  --epochs 14 --seed 20261124 --output "$runs/third.safetensors" --force
"$inkstate" train "${again[@]}" --from "$runs/third.safetensors" --learning-rate 0.002 \
  --epochs 14 --seed 20261125 --output "$runs/fourth.safetensors" --force

# Names and symbols as they are cut out of photographs: uneven, blurred, with remains of what touches them. Texts with
# characters that the model does not know yet are left out.
# labels WRITING COUNT SEED ENLARGEMENT OUTPUT [OPTION...]
labels() {
  "$inkstate" dataset compose pages "$runs/$1.ndjson" --legible --width 640 --height 640 --count "$2" --seed "$3" \
    --enlarge "$4" "${@:6}" --output "$runs/pages" --force
  "$inkstate" dataset cut labels "$runs/pages" --output "$runs/$5" --force
}
labels characters/train 4000 901 2 labels-901
labels characters/validation 600 902 2 labels-902
# A quarter of the lines, so that the reader does not forget them.
awk 'NR % 4 == 0' "$runs/train.ndjson" >"$runs/quarter.ndjson"
"$inkstate" train "$runs/labels-901" "$runs/quarter.ndjson" "$runs/words" \
  --validation "$runs/labels-902" --validation "$runs/words" \
  --from "$runs/fourth.safetensors" --learning-rate 0.001 --epochs 3 --seed 20261126 \
  --output "$runs/few.safetensors" --force

# UNIPEN: other people, tablets and countries. Contributors and writers that are set aside choose the epoch.
python3 models/train/unipen-parts.py parts "$characters" "$runs"
# A model that never saw its writer says whether a text is wrong.
python3 models/train/unipen-parts.py folds "$characters" "$runs"
for fold in 0 1; do
  "$inkstate" train "$runs/fold$fold.ndjson" --from "$runs/few.safetensors" --alphabet '#$*|:;{}!&%_' \
    --augment line --learning-rate 0.002 --epochs 4 --seed 5 --output "$runs/fold$fold.safetensors" --force
done
for fold in 0 1; do
  "$inkstate" evaluate "$runs/fold$fold.ndjson" --model "$runs/fold$((1 - fold)).safetensors" --json \
    >"$runs/fold$fold.json"
done
python3 models/train/unipen-parts.py clean "$characters" "$runs"
cat "$runs"/{char-clean,word-clean,characters/train}.ndjson >"$runs/writing.ndjson"
cat "$runs"/{char-aside,word-aside,char-writers,word-writers,characters/validation}.ndjson >"$runs/writing-aside.ndjson"
labels writing 4000 611 2 labels-611
labels writing 2500 612 3 labels-612
labels writing-aside 600 601 2 labels-601
labels writing-aside 500 602 1.3 labels-602

# lines PART LINES-PER-WRITER SHARE-OF-NO-WRITING SEED OUTPUT [OPTION...]
lines() {
  "$inkstate" dataset compose lines "$runs/char-$1.ndjson" --per-writer "$2" --no-writing "$3" --seed "$4" \
    "${@:6}" --output "$runs/$5.ndjson" --force
}
lines train 24 0.02 31 lines-many
lines clean 36 0.02 31 lines-clean
lines aside 30 0 32 lines-aside
lines writers 20 0 33 lines-writers
{
  awk 'NR % 6 == 0' "$runs/char-aside.ndjson"
  awk 'NR % 3 == 0' "$runs/word-aside.ndjson"
  awk 'NR % 4 == 0' "$runs/lines-aside.ndjson"
  awk 'NR % 2 == 0' "$runs/word-writers.ndjson"
  awk 'NR % 3 == 0' "$runs/char-writers.ndjson"
  awk 'NR % 2 == 0' "$runs"/{lines-writers,validation}.ndjson
} >"$runs/validation-all.ndjson"
awk 'NR % 2 == 0' "$runs/train.ndjson" >"$runs/half.ndjson"
cat "$runs"/{char-train,word-train,lines-many,half}.ndjson >"$runs/many.ndjson"
cat "$runs"/{char-clean,word-clean,lines-clean,train}.ndjson >"$runs/all.ndjson"
validation=(--validation "$runs/validation-all.ndjson" --validation "$runs/words"
  --validation "$runs"/labels-601)
"$inkstate" train "$runs/many.ndjson" "$runs/words" "$runs/labels-611" "${validation[@]}" \
  --from "$runs/few.safetensors" --alphabet "ΣΓ∅⊢□⊔→…#\$*|:;{}!&%_$none" --augment line \
  --learning-rate 0.002 --epochs 7 --seed 20261126 --output "$runs/many.safetensors" --force
python3 models/train/deepen-reader.py "$runs/many.safetensors" "$runs/deep.safetensors"
"$inkstate" train "$runs/all.ndjson" "$runs"/{words,words,labels-611} "${validation[@]}" \
  --from "$runs/deep.safetensors" --alphabet "@\"~^$none" --learning-rate 0.002 --epochs 10 --seed 20261127 \
  --output "$runs/all.safetensors" --force
# Digits and q again: people write letters more often, and the names of states have more of these.
python3 - "$runs" <<'PYTHON'
import json, sys

runs = sys.argv[1]
with open(f"{runs}/digits.ndjson", "w", encoding="utf-8") as output:
    for line in open(f"{runs}/char-clean.ndjson", encoding="utf-8"):
        if json.loads(line)["word"] in "0123456789q":
            output.write(line)
    digits = [line for line in open(f"{runs}/characters/train.ndjson", encoding="utf-8")
              if '"source":"pendigits"' in line]
    output.writelines(line for number, line in enumerate(digits, 1) if number % 6)
PYTHON
"$inkstate" train "$runs"/{all,digits,digits}.ndjson "$runs"/{words,words,labels-611} "${validation[@]}" \
  --from "$runs/all.safetensors" --learning-rate 0.0015 --epochs 6 --seed 20261128 \
  --output "$runs/digits.safetensors" --force
python3 models/train/average-reader.py "$runs"/{all,digits}.safetensors 0.25 "$runs/ink.safetensors"

# Writing as it is cut out of pages, outputs, conditions, and spaces between words, with everything that came before.
cat "$runs"/{char-clean,word-clean,lines-clean,half,digits}.ndjson >"$runs/again.ndjson"
pages=("$runs"/labels-{611,611,612,612})
validation=(--validation "$runs/validation-all.ndjson" --validation "$runs/words"
  --validation "$runs/labels-601" --validation "$runs/labels-602")
"$inkstate" train "$runs/again.ndjson" "$runs/words" "${pages[@]}" "${validation[@]}" \
  --from "$runs/ink.safetensors" --alphabet " " --augment line --learning-rate 0.002 --epochs 5 --seed 20261129 \
  --output "$runs/pages-first.safetensors" --force
"$inkstate" train "$runs/again.ndjson" "$runs"/{words,words} "${pages[@]}" "${validation[@]}" \
  --from "$runs/pages-first.safetensors" --augment line --learning-rate 0.0015 --epochs 8 --seed 20261130 \
  --output "$runs/pages-second.safetensors" --force
"$inkstate" train "$runs"/{again,digits,digits}.ndjson "$runs"/{words,words} "${pages[@]}" \
  "${validation[@]}" --from "$runs/pages-second.safetensors" --augment line --learning-rate 0.001 --epochs 4 \
  --seed 20261201 --output "$runs/pages-third.safetensors" --force
python3 models/train/average-reader.py "$runs"/pages-{second,third}.safetensors 0.25 "$runs/plain.safetensors"

# The directions of the pen, where they are known, as four more planes of the picture, and more lines and strips.
labels writing 4500 621 2 labels-621
labels writing 3000 622 1.5 labels-622
lines clean 36 0.02 41 lines-more
cat "$runs"/{char-clean,word-clean,lines-more,half,digits}.ndjson >"$runs/more.ndjson"
more=("$runs"/labels-{611,612,621,622})
python3 models/train/widen-reader.py "$runs/plain.safetensors" "$runs/wide.safetensors"
"$inkstate" train "$runs/again.ndjson" "$runs/words" "${pages[@]}" "${validation[@]}" \
  --from "$runs/wide.safetensors" --augment line --learning-rate 0.002 --epochs 6 --seed 20261203 \
  --output "$runs/directions-first.safetensors" --force
"$inkstate" train "$runs/more.ndjson" "$runs"/{words,words} "${more[@]}" "${more[@]}" "${validation[@]}" \
  --from "$runs/directions-first.safetensors" --augment line --learning-rate 0.0015 --epochs 9 --seed 20261204 \
  --output "$runs/directions-second.safetensors" --force
python3 models/train/average-reader.py "$runs"/directions-{first,second}.safetensors 0.15 \
  "$runs/directions.safetensors"
"$inkstate" train "$runs"/{more,char-clean,digits}.ndjson "$runs/words" "${more[@]}" "${validation[@]}" \
  --from "$runs/directions.safetensors" --augment line --learning-rate 0.0012 --epochs 5 --seed 20261205 \
  --output "$runs/directions-third.safetensors" --force
python3 models/train/average-reader.py "$runs"/directions{,-third}.safetensors 0.5 "$runs/directions-mean.safetensors"

# Outputs as fractions, binary numbers and lists, slashed zeros, and automata whose texts are mostly short: of people
# who recorded single characters.
cat "$runs"/{char-train,characters/train}.ndjson >"$runs/char-all.ndjson"
cat "$runs"/{char-aside,char-writers,characters/validation}.ndjson >"$runs/char-others.ndjson"
labels char-others 900 701 2 labels-701
labels char-all 4000 711 2 labels-711
labels char-all 3000 712 1.5 labels-712
labels char-all 3500 721 2 labels-721
short=("$runs"/labels-{711,712})
validation=(--validation "$runs/validation-all.ndjson" --validation "$runs/words"
  --validation "$runs"/labels-601 --validation "$runs"/labels-701)
# kinds KINDS SEED OUTPUT: the lines of some kinds.
kinds() { grep -E "\"kind\":\"composed ($1)\"" "$runs/lines-$2.ndjson" >"$runs/$3.ndjson"; }
for seed in 91 93; do
  lines all 60 0 "$seed" "lines-$seed"
  kinds "output|number|name|index|list|symbol" "$seed" "usual-$seed"
done
kinds output 91 outputs-91
kinds "output|list" 93 outputs-93
awk 'NR % 2 == 0' "$runs/more.ndjson" >"$runs/more-half.ndjson"
awk 'NR % 3 == 0' "$runs/more.ndjson" >"$runs/more-third.ndjson"
"$inkstate" train "$runs"/{more-half,char-train,usual-91,outputs-91,outputs-91}.ndjson "$runs/words" \
  "$runs"/labels-{621,622} "${short[@]}" "${short[@]}" "${validation[@]}" --from "$runs/directions-mean.safetensors" \
  --augment line --learning-rate 0.0016 --epochs 6 --seed 20261207 --output "$runs/short-first.safetensors" --force
short+=("$runs/labels-721")
# Words whose letter sequences become likelier: a list of English ones, and those of the training data.
rm -f "$runs"/wamerican-small_*.deb
(cd "$runs" && apt-get download wamerican-small)
dpkg -x "$runs"/wamerican-small_*.deb "$runs/wamerican"
{
  cat "$runs/wamerican/usr/share/dict/american-english-small"
  tail -n +2 "$runs/words/train/labels.tsv" | cut -f 2
  sed -E 's/.*"word": ?"([^"]*)".*/\1/' "$runs/word-clean.ndjson"
} >"$runs/words.txt"
"$inkstate" train "$runs"/{more-third,char-train,usual-93,outputs-93,outputs-93}.ndjson "$runs"/{words,words} \
  "$runs"/labels-{621,622} "${short[@]}" "${short[@]}" "${validation[@]}" --from "$runs/short-first.safetensors" \
  --augment line --learning-rate 0.0014 --epochs 6 --seed 20261208 --words "$runs/words.txt" \
  --output "$runs/short-second.safetensors" --force \
  --license "$license"
python3 models/train/average-reader.py "$runs"/short-{first,second}.safetensors 0.4 "$runs/short.safetensors"
python3 models/train/average-reader.py "$runs"/{directions-mean,short}.safetensors 0.4 "$runs/mean.safetensors" \
  ∅=-2.5 _=-0.8 +=1 q=0.4

# The empty word, and transitions of Turing machines and pushdown automata.
{
  awk 'NR % 2 == 0' "$runs/char-train.ndjson"
  grep -v '"source":"pendigits"' "$runs/characters/train.ndjson"
  grep '"source":"pendigits"' "$runs/characters/train.ndjson" | awk 'NR % 6 == 0'
} >"$runs/char-some.ndjson"
awk 'NR % 2 == 0' "$runs/word-train.ndjson" >"$runs/word-half.ndjson"
machines="machine|output|condition" usual="empty word|signs|list|name|symbol|index|number|primed"
# machine_lines SEED PART: the lines of machines, a PARTth of the usual ones, and a quarter of the others.
machine_lines() {
  lines all 60 0.08 "$1" "lines-$1"
  kinds "$machines" "$1" "machines-$1"
  kinds "$usual" "$1" "all-usual-$1"
  awk "NR % $2 == 0" "$runs/all-usual-$1.ndjson" >"$runs/usual-$1.ndjson"
  grep -vE "\"kind\":\"composed ($machines|$usual)\"" "$runs/lines-$1.ndjson" |
    awk 'NR % 4 == 0' >"$runs/other-$1.ndjson"
}
machine_lines 95 2
lines others 20 0.08 96 lines-96
{
  awk 'NR % 3 == 0' "$runs"/{char-aside,char-writers,word-aside}.ndjson
  cat "$runs/characters/validation.ndjson"
  awk 'NR % 2 == 0' "$runs"/{word-writers,lines-96}.ndjson
} >"$runs/validation-machines.ndjson"
validation=(--validation "$runs/validation-machines.ndjson" --validation "$runs/words")
labels char-all 4000 731 2 labels-731
labels char-all 3500 732 1.5 labels-732
"$inkstate" train "$runs"/{char-some,word-half,machines-95,usual-95,other-95,no-writing/train}.ndjson \
  "$runs"/{words,words} "$runs"/labels-{731,731,732,732} "${validation[@]}" --validation "$runs/labels-701" \
  --from "$runs/mean.safetensors" --augment line --learning-rate 0.001 --epochs 5 --seed 20261210 \
  --output "$runs/machines.safetensors" --force

# Two more convolutions, so that the network sees whole letters before its recurrent layers.
python3 models/train/add-convolutions.py "$runs"/{machines,deep-start}.safetensors
machine_lines 97 3
labels char-all 4000 741 2 labels-741
labels char-all 3500 742 1.5 labels-742
cat "$runs"/{char-train,word-train,characters/train}.ndjson >"$runs/writing-all.ndjson"
labels writing-all 2600 751 2 labels-751
labels writing-all 2000 752 1.5 labels-752
# With signs of scanners.
labels char-all 3400 761 2 labels-761
labels char-all 2600 762 1.5 labels-762
labels char-others 900 703 2 labels-703
validation+=(--validation "$runs/labels-703")
"$inkstate" train "$runs"/{char-some,word-train,machines-97,usual-97,other-97,no-writing/train}.ndjson \
  "$runs"/{words,words} "$runs"/labels-{741,742,751,752,761,761,762,762} "${validation[@]}" \
  --from "$runs/deep-start.safetensors" --augment line --learning-rate 0.001 --epochs 6 --seed 20261211 \
  --output "$runs/deep.safetensors" --force --license "$license"
python3 models/train/add-convolutions.py "$runs"/{mean,mean-deep}.safetensors
python3 models/train/average-reader.py "$runs"/{mean-deep,deep}.safetensors 0.3 "$runs/deep-mean.safetensors"

# Words alone, in identifiers and in conditions.
listed=(--words "$runs/listed.txt")
grep -E '^[a-z]{2,11}$' "$runs/wamerican/usr/share/dict/american-english-small" >"$runs/listed.txt"
lines all 60 0.08 98 lines-98 "${listed[@]}"
kinds "word|condition" 98 identifiers-98
labels char-all 4000 771 2 labels-771 "${listed[@]}"
labels char-all 3500 772 1.5 labels-772 "${listed[@]}"
# train_again FROM EPOCHS RATE SEED FOLDERS OUTPUT [OPTION...]: trains with all kinds of writing, and with these lines.
composed=(machines-97 usual-97 other-97 identifiers-98)
train_again() {
  local files=() folders=()
  for file in char-some word-train "${composed[@]}" no-writing/train; do files+=("$runs/$file.ndjson"); done
  for folder in $5; do folders+=("$runs/$folder"); done
  "$inkstate" train "${files[@]}" "${folders[@]}" "${validation[@]}" \
    --from "$runs/$1.safetensors" --epochs "$2" --learning-rate "$3" --seed "$4" \
    --output "$runs/$6.safetensors" --force --license "$license" "${@:7}"
}
strips="labels-741 labels-751 labels-752 labels-761 labels-762 labels-771 labels-771 labels-772 labels-772"
train_again deep-mean 8 0.001 20261213 "words words $strips" long --augment line
python3 models/train/average-reader.py "$runs"/{deep-mean,long}.safetensors 0.35 "$runs/long-mean.safetensors"
# The network reads other people's characters and words nearly as well as those of its training: it learns more with less
# dropout, and then with milder variations.
python3 models/train/set-dropout.py "$runs"/long-{mean,start}.safetensors 0.05 0.1 0.1
labels char-all 5000 781 2 labels-781 "${listed[@]}"
labels char-all 4500 782 1.5 labels-782 "${listed[@]}"
strips="labels-751 labels-752 labels-761 labels-762 labels-771 labels-772 labels-781 labels-781 labels-782 labels-782"
train_again long-start 8 0.001 20261214 "words words $strips" lower-dropout --augment line
python3 models/train/average-reader.py "$runs"/{long-start,lower-dropout}.safetensors 0.3 "$runs/lower-mean.safetensors"
# More q, which is frequent only in automata: first those of the writers, then composed ones of two strokes as well.
with_q() { grep -E '"word": ?"[^"]*q' "$1"; }
grep -hE '"word": ?"q"' "$runs"/{char-train,characters/train}.ndjson >"$runs/q.ndjson"
with_q "$runs/usual-97.ndjson" >"$runs/names-q.ndjson"
cat "$runs"/{q,q,q,q,q,names-q,names-q}.ndjson >"$runs/more-q.ndjson"
train_again lower-mean 4 0.0006 20261215 "words words $strips" milder \
  --augment models/train/reader-mild.json "$runs/more-q.ndjson"
python3 models/train/average-reader.py "$runs"/{lower-mean,milder}.safetensors 0.3 "$runs/milder-mean.safetensors"
python3 models/train/compose-q.py "$runs"/{char-train,characters/train}.ndjson >"$runs/composed-q.ndjson"
cat "$runs"/{char-all,composed-q}.ndjson >"$runs/char-q.ndjson"
lines q 100 0 99 lines-99
kinds "name|index|list|machine|output|symbol" 99 usual-99
kinds primed 99 primed-99
{
  with_q "$runs/usual-99.ndjson"
  with_q "$runs/primed-99.ndjson" | awk 'NR % 3 == 0'
  cat "$runs"/{composed-q,composed-q}.ndjson
} >"$runs/straight-q.ndjson"
train_again milder-mean 2 0.0005 20261216 "words labels-761 labels-772 labels-781 labels-782" straight \
  --augment models/train/reader-mild.json "$runs/straight-q.ndjson"
python3 models/train/average-reader.py "$runs"/{milder-mean,straight}.safetensors 0.5 "$runs/straight-mean.safetensors" \
  ∅=-2.5 _=-1.3 +=1.3 q=0.8

# Descriptions of words and numbers, and patterns, on lines and on pages.
labels char-others 900 1003 2 labels-1003 "${listed[@]}"
labels char-all 5000 1011 2 labels-1011 "${listed[@]}"
labels char-all 5000 1012 1.5 labels-1012 "${listed[@]}"
labels char-all 5000 1021 2 labels-1021 "${listed[@]}"
labels char-all 4000 1022 1.5 labels-1022 "${listed[@]}"
validation=(--validation "$runs/validation-machines.ndjson" --validation "$runs/words"
  --validation "$runs/labels-1003")
# described_lines SEED REST: composes the lines of the next training. Of the usual ones every third counts, and of the others
# every fourth: those whose number leaves REST when it is divided by 3 or 4.
described_lines() {
  local described="description|pattern|word"
  lines all 60 0.08 "$1" "lines-$1" "${listed[@]}"
  kinds "$machines" "$1" "machines-$1"
  kinds "$usual" "$1" "all-usual-$1"
  kinds "$described" "$1" "described-$1"
  awk "NR % 3 == $2" "$runs/all-usual-$1.ndjson" >"$runs/usual-$1.ndjson"
  grep -vE "\"kind\":\"composed ($machines|$usual|$described)\"" "$runs/lines-$1.ndjson" |
    awk "NR % 4 == $2" >"$runs/other-$1.ndjson"
  composed=("machines-$1" "usual-$1" "other-$1" "described-$1")
}
strips="labels-1011 labels-1011 labels-1012 labels-1012"
described_lines 1001 0
train_again straight-mean 8 0.001 20261217 "words $strips" described --augment line
described_lines 1003 1
train_again described 8 0.001 20261219 "words words $strips" described-more --augment line
python3 models/train/average-reader.py "$runs"/{straight-mean,described-more}.safetensors 0.35 \
  "$runs/described-mean.safetensors"
described_lines 1004 2
train_again described-mean 3 0.0005 20261221 "words labels-1011 labels-1012 labels-1021 labels-1022" described-q \
  --augment models/train/reader-mild.json "$runs/straight-q.ndjson"
python3 models/train/average-reader.py "$runs"/described-{mean,q}.safetensors 0.5 "$runs/described-both.safetensors"
python3 models/train/average-reader.py "$runs"/{straight-mean,described-both}.safetensors 0.3 \
  "$runs/uncalibrated.safetensors" ∅=-1 _=-0.8 +=0.8 q=0.6
"$inkstate" calibrate "$runs/uncalibrated.safetensors" "$runs/validation-all.ndjson" \
  "$runs/labels-601" "$runs/words" --output "$runs/reader.safetensors" --force
cp "$runs/reader.safetensors" Sources/InkReader/Resources/reader.safetensors

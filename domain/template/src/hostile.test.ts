import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTemplate, imageReferenceProblem } from './index.ts';

const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ['a huge number', `{{ ${'1'.repeat(200_000)} }}`],
  ['a huge exponent', `{{ 1e${'9'.repeat(100_000)} }}`],
  [
    'a long run of spaces to trim',
    `{{ trim "${' '.repeat(200_000)}x" }}{{ trim "x${' '.repeat(200_000)}x" }}`,
  ],
  ['a repeat beyond memory', '{{ repeat 1000000000 "xxxxxxxx" }}'],
  ['an indent beyond memory', '{{ indent 1000000000 "x" }}'],
  ['a replacement that explodes', '{{ $x := repeat 100000 "a" }}{{ replace "a" $x $x }}'],
  ['a list beyond memory', '{{ until 2000000000 }}'],
  ['a dictionary inside itself', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}'],
  ['the same printed', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}'],
  ['the same as YAML', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toYaml $d }}'],
  [
    'the same searched',
    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $e := dict }}{{ $_ := set $e "d" $e }}{{ has $d (list $e) }}',
  ],
  [
    'lists that double',
    '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ toYaml $x }}',
  ],
  [
    'lists that double, as JSON',
    '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ toJson $x }}',
  ],
  [
    'joining that explodes',
    '{{ $x := repeat 100000 "a" }}{{ $l := list }}{{ range until 2000 }}{{ $l = append $l $x }}{{ end }}{{ join "" $l }}',
  ],
  [
    'deep JSON',
    `{{ fromJson (repeat 100000 "[") }}{{ fromJson (print (repeat 5000 "[") (repeat 5000 "]")) }}`,
  ],
  ['deep YAML', '{{ fromYaml (repeat 50000 "[") }}'],
  ['deep YAML in the output', '{{ repeat 100000 "[" }}'],
  ['an alias bomb', 'a: &a [x]\n{{ range $i := until 30 }}b{{ $i }}: &b{{ $i }} [*a, *a]\n{{ end }}'],
];

for (const [what, text] of HOSTILE) {
  test(`${what} ends in an error`, { timeout: 10_000 }, () => {
    const result = renderTemplate({ templateName: 'hostile', text });
    assert.equal(result.ok, false);
  });
}

test('long image names are refused without backtracking', { timeout: 5000 }, () => {
  for (const image of [
    'a-'.repeat(500),
    `${'a'.repeat(1000)}!`,
    `${'a.'.repeat(500)}!`,
    `x@${'a+'.repeat(500)}`,
    'a'.repeat(1_000_000),
  ]) {
    assert.notEqual(imageReferenceProblem(image), undefined);
  }
});

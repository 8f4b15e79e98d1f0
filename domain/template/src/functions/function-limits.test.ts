import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapValue } from '@tinkerbell/go-template';
import { renderText } from '../index.ts';

/** Each would exceed the limits of a rendering, or take far too long. */
const GREEDY: readonly string[] = [
  '{{ repeat 1000000000 "x" }}',
  '{{ indent 1000000000 "x" }}',
  '{{ nindent 1000000000 "x" }}',
  '{{ until 1000000000 }}',
  '{{ untilStep 0 1000000000 1 }}',
  '{{ seq 1000000000 }}',
  '{{ seq 0 1 1000000000 }}',
  '{{ replace "" (repeat 10000 "y") (repeat 10000 "x") }}',
  '{{ join (repeat 100000 "x") (until 10000) }}',
  '{{ wrapWith 1 (repeat 10000 "y") (repeat 10000 "x") }}',
  '{{ regexReplaceAll "" (repeat 10000 "x") (repeat 10000 "y") }}',
  '{{ regexReplaceAll "x" (repeat 10000 "x") (repeat 100 "$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0") }}',
  '{{ regexFindAll "a.*x|a" (repeat 20000 "a") -1 }}',
  '{{ regexMatch (repeat 500 "(a?){100}") (repeat 10000 "a") }}',
  '{{ $d := dict }}{{ range until 100 }}{{ $d = dict "a" $d "b" $d }}{{ end }}{{ deepCopy $d }}',
  '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ deepCopy $d }}',
  '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $e := dict }}{{ $_ := set $e "d" $e }}{{ merge $e $d }}',
  '{{ $l := until 100000 }}{{ range until 1000 }}{{ $l = concat $l $l }}{{ end }}',
  '{{ $l := list (list 1) }}{{ range until 100000 }}{{ $l = append $l (list .) }}{{ end }}{{ uniq $l }}',
  '{{ chunk 1 (until 100000000) }}',
  '{{ $m := 1e300 }}{{ range until 1000000 }}{{ $_ := mulf 1e300 1e300 1e300 1e300 1e300 1e300 1e300 1e300 }}{{ end }}',
];

function rendered(text: string) {
  return renderText({ templateName: 't', text }, mapValue([]));
}

for (const template of GREEDY) {
  test(`${template.slice(0, 90)} is stopped early by a limit`, () => {
    const started = performance.now();
    const result = rendered(template);
    assert.ok(performance.now() - started < 20_000);
    assert.ok(!result.ok, 'ended without a limit');
    assert.match(
      result.error.message,
      /larger than|more than|deeper than|exceeds|too large|invalid repeat|error parsing regexp/,
    );
  });
}

test('a slow constraint is refused or answered quickly', () => {
  const started = performance.now();
  rendered('{{ semverCompare (repeat 900 "1") "1.2.3" }}');
  rendered('{{ semverCompare (repeat 450 "1 ") "1.2.3" }}');
  rendered('{{ semverCompare (print "1" (repeat 900 " ") "x!") "1.2.3" }}');
  rendered('{{ semverCompare (repeat 100000 "1 ") "1.2.3" }}');
  assert.ok(performance.now() - started < 20_000);
});

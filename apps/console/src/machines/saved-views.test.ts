import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterFrom } from './machine-filter.ts';
import {
  addressOf,
  VIEWS_MAX,
  viewSearch,
  viewsIn,
  viewsText,
  withoutView,
  withView,
  type SavedView,
} from './saved-views.ts';

const view = (name: string, search = ''): SavedView => ({ name, search });

test('the address of a view gives its filter back, with order, columns and name', () => {
  const filter = filterFrom({
    q: 'node 1',
    state: 'FAILED',
    label: 'rack=r6',
    sort: '-age',
    hide: 'mac,age',
  });
  const saved = view('Rack 6 & more', viewSearch(filter));
  assert.deepEqual(filterFrom(addressOf(saved)), { ...filter, view: 'Rack 6 & more' });
});

test('a view that is saved from another one does not contain its name', () => {
  assert.equal(viewSearch(filterFrom({ q: 'a', view: 'old' })), 'q=a');
});

test('views are in the order of their names, and a name exists once', () => {
  const views = [view('b', 'q=1'), view('a')].reduce<readonly SavedView[]>(
    (all, one) => withView(all, one) ?? [],
    [],
  );
  assert.deepEqual(withView(views, view('b', 'q=2')), [view('a'), view('b', 'q=2')]);
  assert.deepEqual(withoutView(views, 'a'), [view('b', 'q=1')]);
});

test('there are not more views than fit, and a replaced one is not one more', () => {
  const full = Array.from({ length: VIEWS_MAX }, (_, at) => view(`v${at}`));
  assert.equal(withView(full, view('one more')), undefined);
  assert.equal(withView(full, view('v3', 'q=1'))?.length, VIEWS_MAX);
});

test('what is kept is read again, and anything else has no views', () => {
  const views = [view('a', 'q=1')];
  assert.deepEqual(viewsIn(viewsText(views)), views);
  for (const text of ['', 'null', '{}', '[1, null, {"name": 1, "search": ""}, {"name": ""}]', '[{"name"'])
    assert.deepEqual(viewsIn(text), [], text);
});

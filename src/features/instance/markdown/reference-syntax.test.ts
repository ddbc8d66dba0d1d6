/** References: what is one, and what only looks like one. */
import { describe, expect, test } from 'vitest'
import { proseOf } from './prose.ts'
import { findReferences } from './reference-syntax.ts'

const site = 'http://gitstead.test'
const short = (text: string) =>
  [...findReferences(text, site)].map(({ kind, path, name, isTitle, anchor }) =>
    [kind, ...(path === null ? [] : [`in ${path}`]), isTitle ? `"${name}"` : name, ...(anchor === '' ? [] : [anchor])].join(' '),
  )

describe('references are found', () => {
  test.each([
    ['Ask @ada, @a.b-c_d. and @group/sub.', ['user ada', 'user a.b-c_d', 'user group/sub']],
    ['(@ada) "@bob" **@eve**', ['user ada', 'user bob', 'user eve']],
    ['#1, (#23) and -#4; !5 costs $6', ['issue 1', 'issue 23', 'issue 4', 'merge_request 5', 'snippet 6']],
    [
      'project#1 group/project#2 a/b/c!3 a/b$4',
      ['issue in project 1', 'issue in group/project 2', 'merge_request in a/b/c 3', 'snippet in a/b 4'],
    ],
    ['~bug ~"needs work" ~7 ~2fa a/b~bug', ['label "bug"', 'label "needs work"', 'label 7', 'label "2fa"', 'label in a/b "bug"']],
    ['~fehler-größe, ~a::b.', ['label "fehler-größe"', 'label "a::b"']],
    [
      '%v1.0 %"Next release" %3 %2.1 a/b%v2.',
      ['milestone "v1.0"', 'milestone "Next release"', 'milestone 3', 'milestone "2.1"', 'milestone in a/b "v2"'],
    ],
    ['deadbeef, 1234567 and a/b@abcdef12', ['commit deadbeef', 'commit 1234567', 'commit in a/b abcdef12']],
    ['abcdef1..1234567 abcdef1...1234567', ['commit_range abcdef1..1234567', 'commit_range abcdef1...1234567']],
    [`${site}/a/b/issues/1, ${site}/a/b/-/issues/2#note_5.`, ['issue in a/b 1', 'issue in a/b 2 #note_5']],
    [`${site}/a/b/c/merge_requests/3/diffs ${site}/a/b/milestones/4`, ['merge_request in a/b/c 3', 'milestone in a/b 4']],
    [
      `${site}/a/b/commit/abcdef1 ${site}/a/b/compare/abcdef1...1234567`,
      ['commit in a/b abcdef1', 'commit_range in a/b abcdef1...1234567'],
    ],
    ['@all', ['user all']],
  ])('%s', (text, found) => expect(short(text)).toEqual(found))
})

test.each([
  'ada@example.com and é@ada',
  'https://example.com/a/b#1 http://example.com/@ada http://gitstead.test.evil/a/b/issues/1',
  `${site}/a/b/blob/main/x#1 ${site}/a/b/issues/new`,
  '#0 #a # 1 #1a #12345678901',
  '100% of $ 5 ! ~ @',
  'abcdef abcdefg 550e8400-e29b-41d4-a716-446655440000 abcdef1x',
  '',
])('nothing is found in %s', (text) => expect(short(text)).toEqual([]))

test.each([
  ['code in backticks', 'a `@ada` ``#1 ` #2`` @bob', ['user bob']],
  ['a fence', '```\n@ada\n```\n@bob\n~~~js\n#1\n~~~\n#2', ['user bob', 'issue 2']],
  ['a fence that never ends', '@bob\n```\n@ada', ['user bob']],
  ['a fence in a list and in a quote', '- a\n  ```\n  @ada\n  ```\n\n> ```\n> @ada\n> ```\n\n@bob', ['user bob']],
  ['indented code', 'text\n    @eve\n\n    @ada\n\n@bob', ['user eve', 'user bob']],
  ['an item that goes on', '- a\n\n    @bob', ['user bob']],
  ['a comment', '<!-- @ada\n#1 --> @bob <!-- #2', ['user bob']],
  ['the words of a link', `[@ada #1](http://gitstead.test/a/b/issues/3) @bob`, ['issue in a/b 3', 'user bob']],
  ['what is escaped', '\\@ada \\#1 @bob', ['user bob']],
  ['code by indentation in a list', '- a\n\n      @ada\n\n  @bob\n\n1. b\n\n\t\t@eve', ['user bob']],
  [
    'elements of code and links',
    '<pre>@ada</pre> <code>@eve</code> <a href="x">@ada</a> <style>@eve</style> @bob <pre> @tom',
    ['user bob', 'user tom'],
  ],
  ['targets that are written apart', '[x]: http://gitstead.test/a/b/issues/1 "@ada"\n[^x]: @bob', ['user bob']],
  ['a lone backtick', 'it`s @bob', ['user bob']],
])('no reference is read in %s', (_, text, found) => expect(short(proseOf(text))).toEqual(found))

test('a URL that is longer than any address is no reference', () => {
  const found = (length: number) => [...findReferences(`${site}/a/b/issues/1?${'x'.repeat(length)}`, site)].length
  expect([found(1_000), found(4_000)]).toEqual([1, 0])
})

/** References beyond this length are ignored. */
const max_chars = 64 * 1024

test.each<[name: string, part: string, start?: string]>([
  ['paths', 'a/'],
  ['dots', '.'],
  ['signs', '~%@#$!'],
  ['quotes', '~"a'],
  ['digits', '1'],
  ['ids', 'abcdef1 '],
  ['backticks', '`a``b```'],
  ['brackets', '[a'],
  ['comments', '<!--'],
  ['tags', '<a>'],
  ['targets', '[a]: b\n'],
  ['items', '- '],
  ['indented lines', '     x\n\n'],
  ['titles', `%${'.'.repeat(300)} `],
  ['signs within a URL', ')', `${site}/`],
])('a long text of %s is read in linear time', (_, part, start = 'a') => {
  const text = `${start}${part.repeat(max_chars / part.length)}a`
  const began = process.cpuUsage()
  expect([...findReferences(proseOf(text), site)].length).toBeLessThan(max_chars)
  const { user, system } = process.cpuUsage(began)
  // Squared, it would be a minute.
  expect((user + system) / 1_000).toBeLessThan(2_000)
})

/** What somebody who means no good sends where a ref, a revision, a path, a name or a message belongs. */

/** A value by what it is called in the list of complaints: some are a megabyte long. */
export type Hostile = readonly [name: string, value: unknown]

/** `target` is a file that must never come into being. */
export function hostileValues({ shortened, target }: { shortened: string; target: string }): Hostile[] {
  const texts = [
    ...['unknown', '0'.repeat(40), 'f'.repeat(40), 'a'.repeat(64), '0', shortened, 'twice'],
    ...['-n', '--all', '--upload-pack=touch x', `--output=${target}`, '-', '--', '--stdin', '--end-of-options'],
    ...[
      'main..main',
      'main...main',
      'main:README.md',
      'main^{tree}',
      '@{-1}',
      'main@{1}',
      ':/First',
      ':README.md',
      '^main',
      'main^!',
      'main~99999',
    ],
    ...[
      'refs/heads/x',
      'refs/heads/main',
      'refs/tags/v1',
      'refs/unborn/x',
      'heads/main',
      'HEAD',
      'FETCH_HEAD',
      'config',
      'packed-refs',
      'a.lock',
    ],
    ...['@', 'main/x', 'a//b', '/main', 'main/', '.hidden', 'end.', 'HEAD^', 'v1^0', 'main-0-gabcd'],
    ...['..', '../x', 'a/../b', '../../../../etc/passwd', '/etc/passwd', target, '\\..\\x', 'a\\..\\b', 'C:\\x', '\\\\host\\x', '//x'],
    ...['.git', '.git/config', '.GIT/hooks/pre-receive', 'a/.Git/x', '.git. . ./x', '.git::$INDEX_ALLOCATION/x', 'git~1', 'GIT~2/config'],
    ...['.g\u200cit/x', '.gi\ufefft', '.git\u200f/config', 'a\\.git\\x', '.gitmodules', '.GITMODULES', 'gitmod~1', '.gitattributes'],
    ...['a\nb', 'a\rb', 'a\r\nX-Injected: 1', 'a\tb', 'a\x1b[31mb', 'a\x7fb', 'a\0b', '\n', ' ', ''],
    ...['\ud800', 'a\udfffb', '\ufffd', '\u202ea', '😀', 'e\u0301'],
    ...[
      ':(glob)**',
      ':!x',
      ':/',
      '*',
      '?',
      '[a-z]',
      '**/x',
      '$(touch x)',
      '`touch x`',
      '; touch x',
      '| touch x',
      '&& touch x',
      "'",
      '"',
      '%s%n',
      '${x}',
    ],
    ...['YWJj=', '=', 'not base64!', 'YQ', '====', '<x>', 'A <a@b>\nparent 0', 'author X <x@y> 0 +0000'],
  ]
  const long: Hostile[] = [
    ['a long name', 'n'.repeat(1_000)],
    ['the longest name', 'é'.repeat(1_024)],
    ['a name of many parts', 'a/'.repeat(500) + 'a'],
    ['a path of many parts', `${'a/'.repeat(2_000)}a`],
    ['a megabyte', 'm'.repeat(1024 * 1024 - 2_000)],
    ['a megabyte of slashes', `a${'/'.repeat(1024 * 1024 - 2_000)}b`],
    ['a hundred thousand carets', `main${'^'.repeat(100_000)}`],
  ]
  const others: Hostile[] = [
    ['an array', ['main', '-n']],
    ['an object', { main: 'main' }],
    ['nested arrays', [[['main']]]],
    ['a number', 1e308],
    ['null', null],
    ['true', true],
  ]
  return [...texts.map((text): Hostile => [JSON.stringify(text).slice(0, 80), text]), ...long, ...others]
}

/** Bytes that are no UTF-8. */
export const brokenBytes = [
  Buffer.from([0xff]),
  Buffer.from([0x61, 0xc3]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f]),
]

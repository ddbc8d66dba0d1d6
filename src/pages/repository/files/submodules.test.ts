/** Links of submodules, by the URLs that `.gitmodules` gives them. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { pageOf, urlsIn } from './submodules.ts'

const oid = 'a'.repeat(40)
const here = { own: 'https://git.example.com', project: 'group/deep/app' }

test('relative, own and other hosts lead to the tree of the commit; what no browser opens leads nowhere', () => {
  for (const [url, address] of [
    ['../lib.git', `/group/deep/lib/tree/${oid}`],
    ['../../other/lib', `/group/other/lib/tree/${oid}`],
    ['./nested.git', `/group/deep/app/nested/tree/${oid}`],
    ['https://git.example.com/group/lib.git', `/group/lib/tree/${oid}`],
    ['git@git.example.com:group/lib.git', `/group/lib/tree/${oid}`],
    ['ssh://git@git.example.com:2222/group/lib.git', `/group/lib/tree/${oid}`],
    ['https://github.com/owner/lib.git', `https://github.com/owner/lib/tree/${oid}`],
    ['git@gitlab.com:a/b/c.git', `https://gitlab.com/a/b/c/tree/${oid}`],
    ['https://codeberg.org/a/b', `https://codeberg.org/a/b/src/commit/${oid}`],
    ['https://code.example.org/a/b.git', 'https://code.example.org/a/b'],
    ['https://git.example.com//evil.example/a/b', `/evil.example/a/b/tree/${oid}`],
    ['../../../../../../x', null],
    ['https://user:secret@example.org/a/b', null],
    ['https://example.org/a/b?token=1', null],
    ['https://example.org', null],
    ['javascript:alert(1)//a/b', null],
    ['file:///etc/passwd', null],
    ['/srv/git/lib.git', null],
    ['', null],
  ] as const)
    expect([url, pageOf(url, oid, here)]).toEqual([url, address])
})

test('a file of submodules is read by its sections, whatever their order and spaces', () => {
  const text =
    '[core]\n\tpath = no\n\turl = no\n[submodule "a"]\n\turl=../a.git\r\n  path = libs/a/\r\n[submodule "b"]\n\tpath = b\n[submodule "c]"]\n path = "c d"\n url = x'
  expect([...urlsIn(text)]).toEqual([
    ['libs/a', '../a.git'],
    ['c d', 'x'],
  ])
  expect(urlsIn('').size).toBe(0)
})

test('as large a file as is read takes linear time, and so does a long URL', () => {
  const measured_ms = measureComputing()
  for (const sign of [' ', '/', '\t']) {
    const long = `x${sign.repeat(120_000)}x`
    expect(urlsIn(`[submodule "a"]\npath = ${long}\nurl = ${long}\n`).get(long)).toBe(long)
    expect(pageOf(`https://a.example/b/${long}`, oid, here)).toMatch(/^https:/)
  }
  expect(measured_ms()).toBeLessThan(1_000)
})

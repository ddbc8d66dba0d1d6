import { describe, expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { parseCommand } from './command-line.ts'

const fetch = { name: 'git-upload-pack', path: 'group/project' }

describe('every spelling that clients send is understood', () => {
  for (const line of [
    "git-upload-pack 'group/project'",
    "git-upload-pack 'group/project.git'",
    "git-upload-pack '/group/project.git'",
    "git-upload-pack '/group/project.git/'",
    "git-upload-pack '~/group/project.git'",
    "git-upload-pack 'group/project/'",
    'git-upload-pack group/project.git',
    'git-upload-pack "group/project.git"',
    'git-upload-pack "/group/project.git"',
    "git upload-pack 'group/project.git'",
    "  git-upload-pack   'group/project.git'  ",
    'git-upload-pack group\\/project.git',
    "git-upload-pack 'group'/'project'.git",
  ]) {
    test(line, () => expect(parseCommand(line)).toEqual(fetch))
  }

  test('with each of its commands', () => {
    for (const name of ['git-receive-pack', 'git-upload-archive'] as const) {
      expect(parseCommand(`${name} 'a/b.git'`)).toEqual({ name, path: 'a/b' })
      expect(parseCommand(`git ${name.slice(4)} 'a/b.git'`)).toEqual({ name, path: 'a/b' })
    }
    for (const operation of ['upload', 'download'] as const) {
      expect(parseCommand(`git-lfs-authenticate '/a/b.git' ${operation}`)).toEqual({ name: 'git-lfs-authenticate', path: 'a/b', operation })
    }
  })

  test('with the quotes of git: a quote and an exclamation mark stand outside', () => {
    expect(parseCommand("git-upload-pack 'a/it'\\''s.git'")?.path).toBe("a/it's")
    expect(parseCommand("git-upload-pack 'a/b'\\!'c.git'")?.path).toBe('a/b!c')
    expect(parseCommand('git-upload-pack "a/\\"b\\" \\$c\\\\d"')?.path).toBe('a/"b" $c\\d')
  })

  test('text that a shell would run is quoted', () => {
    expect(parseCommand("git-upload-pack 'a/$(id)`id`;|&<>*?'")?.path).toBe('a/$(id)`id`;|&<>*?')
  })

  test('deep paths, other scripts, spaces', () => {
    expect(parseCommand("git-upload-pack '/a/b/c/d.git'")?.path).toBe('a/b/c/d')
    expect(parseCommand("git-upload-pack 'ä/ö €.git'")?.path).toBe('ä/ö €')
    expect(parseCommand("git-upload-pack 'a/b.git.git'")?.path).toBe('a/b.git')
  })
})

describe('everything else is no command', () => {
  for (const line of [
    '',
    ' ',
    'git',
    'git-upload-pack',
    'sh',
    'scp -t /tmp',
    "git-shell -c 'git-upload-pack a/b'",
    "git-upload-pack 'a/b' 'c/d'",
    "git-upload-pack 'a/b' --timeout=1",
    "git-upload-pack --upload-pack=id 'a/b'",
    "git --upload-pack=id upload-pack 'a/b'",
    "git -c core.x=y upload-pack 'a/b'",
    "git upload-pack -- 'a/b'",
    "git-upload-pack '--help'",
    "git-upload-pack '-a/b'",
    "git-upload-pack '/-a/b'",
    "git-upload-pack '../..'",
    "git-upload-pack '../../etc/passwd'",
    "git-upload-pack 'a/../b'",
    "git-upload-pack 'a/./b'",
    "git-upload-pack 'a//b'",
    "git-upload-pack '//a/b'",
    "git-upload-pack 'a'",
    "git-upload-pack '/'",
    "git-upload-pack ''",
    "git-upload-pack '.git'",
    "git-upload-pack 'a/.git'",
    "git-upload-pack '~root/a/b'",
    "git-upload-pack 'a/b';id",
    "git-upload-pack 'a/b'; id",
    "git-upload-pack 'a/b' && id",
    "git-upload-pack 'a/b' | id",
    "git-upload-pack 'a/b' > x",
    "git-upload-pack 'a/b' &",
    'git-upload-pack a/$(id)',
    'git-upload-pack "a/$(id)"',
    'git-upload-pack a/`id`',
    'git-upload-pack "a/`id`"',
    'git-upload-pack a/$HOME',
    'git-upload-pack a/*',
    "git-upload-pack 'a/b",
    'git-upload-pack "a/b',
    'git-upload-pack a/b\\',
    "git-upload-pack 'a/b\n'",
    "git-upload-pack 'a/b'\nid",
    "git-upload-pack 'a/b\0'",
    "git-upload-pack 'a/b\r'",
    "git-upload-pack\t'a/b'",
    "env --split-string='git-upload-pack a/b'",
    "env git-upload-pack 'a/b'",
    "GIT_TRACE=1 git-upload-pack 'a/b'",
    "Git-Upload-Pack 'a/b'",
    "git-lfs-authenticate 'a/b'",
    "git-lfs-authenticate 'a/b' delete",
    "git-lfs-authenticate 'a/b' upload abc def",
  ]) {
    test(JSON.stringify(line), () => expect(parseCommand(line)).toBeNull())
  }
})

test('a line of a megabyte, whatever it holds, takes no time', () => {
  for (const piece of ['a', "'", '"', '\\', ' ', "'a' ", '\\\\', 'a/', '/', '.git']) {
    const long = piece.repeat(1_000_000 / piece.length)
    const used_ms = measureComputing()
    expect(parseCommand(`git-upload-pack ${long}`)).toBeNull()
    expect(parseCommand(`git-upload-pack ${long.slice(0, 4_000)}x;`)).toBeNull()
    expect(used_ms()).toBeLessThan(200)
  }
})

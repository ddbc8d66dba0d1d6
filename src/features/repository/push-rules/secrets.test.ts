/** Secrets in texts: each kind where it stands, nothing else, and in linear time. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { secretFileName, secretsIn } from './secrets.ts'

const inText = (text: string) => secretsIn(Buffer.from(text)).map(({ name, line }) => `${name} ${line}`)
/** In two parts, so that this file isn't one that holds them. */
const aws = `AK${'IA'}QWERTYUIOPASDFGH`
const github = `gh${'p_'}${'aB3'.repeat(12)}`
const pem = `-----BEGIN RSA ${'PRIVATE'} KEY-----`
const base64 = 'MIIEpAIBAAKCAQEA0123456789abcdef'

test('a secret is found on its line, however its lines are broken', () => {
  expect(inText(`first\n\n  key: ${aws}\n${github}`)).toEqual(['AWS access key 3', 'GitHub token 4'])
  expect(inText(`${pem}\n${base64}\n`)).toEqual(['private key 1'])
  expect(inText(`{"private_key": "${pem}\\n${base64}"}`)).toEqual(['private key 1'])
  for (const [before, after] of [
    ['" +\n    "', ''],
    ["'\r\n\t'", ''],
    ['\\\n', ''],
    ['\n# ', ''],
  ])
    expect([before, inText(`\nx = "${aws.slice(0, 9)}${before}${aws.slice(9)}${after}"\nnext = 1\n`)]).toEqual([
      before,
      ['AWS access key 2'],
    ])
  // The next line starts with a letter that can also open a string literal (`b"`, `r"`), so it must not be cut off.
  const lower = github.toLowerCase()
  expect(inText(`${lower.slice(0, 5)}\n${lower.slice(5)}`)).toEqual(['GitHub token 1'])
  // Broken within what it begins with, and once more.
  expect(
    inText(`\nx = "${aws.slice(0, 2)}" +\n  "${aws.slice(2, 9)}" +\n  "${aws.slice(9)}"\n${github.slice(0, 3)}\\\n${github.slice(3)}`),
  ).toEqual(['AWS access key 2', 'GitHub token 5'])
  expect(secretsIn(Buffer.from(`\ufeff${aws}`, 'utf16le'))).toEqual([{ name: 'AWS access key', line: 1 }])
})

test('what only resembles one is none', () => {
  const plain = [
    `x${aws}`,
    `${aws}A`,
    aws.replace('QWERTYU', 'EXAMPLE'),
    aws.slice(0, 12),
    pem,
    'gst',
    'SG.',
    'glpat-…',
    `AKIA\n\nis a prefix`,
    `AK\nIA is one in two lines`,
    `BLEAK\n${aws.slice(2)}`,
  ]
  expect(plain.flatMap(inText)).toEqual([])
  const names = ['id_rsa.pub', 'keys.ts', 'public.pem', '.env.example', 'history', 'docs/credentials.md', 'test/key.pem']
  expect(names.filter((name) => secretFileName(name) !== null)).toEqual([])
  const secret = [
    '.ssh/id_rsa',
    'a/id_ed25519',
    'certs/private.key',
    '.aws/credentials',
    '.netrc',
    'x.p12',
    '.bash_history',
    'main.tfstate',
  ]
  expect(secret.filter((name) => secretFileName(name) === null)).toEqual([])
})

test('a mebibyte of beginnings takes less than a second', () => {
  const used_ms = measureComputing()
  for (const text of ['AKIA\n', 'ghp_', `${pem}\n`, 'glpat-aaaaaaaaa\n', 'a'.repeat(100), `x"+\n`, `AKIA${' '.repeat(490)}x\n`])
    inText(text.repeat(Math.ceil((1024 * 1024) / text.length)))
  expect(used_ms()).toBeLessThan(6_000)
})

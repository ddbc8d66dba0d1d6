/** Which blocks are public keys, and whose fingerprint they have. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { armour, keyBody, packet, userId } from '../../../../test/support/fixtures/gpg-keys.ts'
import { fingerprintOfBlock } from './openpgp.ts'

/** Created with GnuPG 2.2, which also printed its fingerprint; the private key was deleted. */
const known = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawGimxYJKwYBBAHaRw8BAQdAoVfLWOxTRs22IqFun61nD6ng/0+UGdO9rIvp
y2rDI8y0IlRlc3QgZWQyNTUxOSA8ZWQyNTUxOUBleGFtcGxlLmNvbT6IkAQTFggA
OBYhBBiJPUZmJl8gjQgTHAdO1WRladp5BQJrAaKbAhsDBQsJCAcCBhUKCQgLAgQW
AgMBAh4BAheAAAoJEAdO1WRladp5VagBAPr3s1toHyxxjrztp7Haf5B3A1wCOFir
3w40AdKn44KdAQDTcTlb4fsnN4fQlSMNa4mL33UcQN8egMQPQtVfKJm4Dg==
=YKXf
-----END PGP PUBLIC KEY BLOCK-----`

test('the fingerprint is that of GnuPG', () => {
  expect(fingerprintOfBlock(known)).toBe('18893D4666265F208D08131C074ED5646569DA79')
  expect(fingerprintOfBlock(known.replaceAll('\n', '\r\n'))).toBe('18893D4666265F208D08131C074ED5646569DA79')
  const headers = known.replace('BLOCK-----\n\n', 'BLOCK-----\nVersion: 1\nComment: a\n\n')
  expect(fingerprintOfBlock(headers)).toBe('18893D4666265F208D08131C074ED5646569DA79')
  expect(fingerprintOfBlock(known.replace(/=YKXf\n/, ''))).toBe('18893D4666265F208D08131C074ED5646569DA79')
})

test.each([
  [5, 0x9a],
  [6, 0x9b],
])('a key of version %i has a longer one', (version, mark) => {
  const body = keyBody({ version })
  const head = Buffer.alloc(5, mark)
  head.writeUInt32BE(body.length, 1)
  const expected = createHash('sha256').update(head).update(body).digest('hex').toUpperCase()
  expect(fingerprintOfBlock(armour(packet(6, body), userId))).toBe(expected)
})

test('packet lengths may have any encoding', () => {
  const body = keyBody()
  const short = Buffer.concat([Buffer.from([0xc6, body.length]), body])
  const old = Buffer.concat([Buffer.from([0x98, body.length]), body])
  const expected = fingerprintOfBlock(armour(packet(6, body), userId))
  for (const form of [short, old]) expect(fingerprintOfBlock(armour(form, userId))).toBe(expected)
  const long = Buffer.alloc(500)
  const twoBytes = Buffer.concat([Buffer.from([0xcd, 192 + ((500 - 192) >> 8), (500 - 192) & 0xff]), long])
  const oldTwoBytes = Buffer.concat([Buffer.from([0xb5, 500 >> 8, 500 & 0xff]), long])
  for (const name of [twoBytes, oldTwoBytes]) expect(fingerprintOfBlock(armour(packet(6, body), name))).toBe(expected)
})

describe('is refused', () => {
  const body = keyBody()
  const key = packet(6, body)
  const begin = '-----BEGIN PGP PUBLIC KEY BLOCK-----'
  const end = '-----END PGP PUBLIC KEY BLOCK-----'
  const noBlock = /^is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----' and ends with/
  const unreadable = 'is invalid. It holds no public key that can be read'
  const isPrivate = 'is invalid. It holds a private key: export the public key alone'
  const changed = (at: number, value: number) => {
    const copy = Buffer.from(body)
    copy[at] = value
    return packet(6, copy)
  }

  test.each<[string, string, string | RegExp]>([
    ['nothing', '', noBlock],
    ['a word', 'key', noBlock],
    ['an SSH key', 'ssh-ed25519 AAAA', noBlock],
    ['a block of a private key', known.replaceAll('PUBLIC', 'PRIVATE'), noBlock],
    ['a block without its end', known.slice(0, -5), noBlock],
    ['two blocks', `${known}\n${known}`, noBlock],
    ['text before the block', `x\n${known}`, noBlock],
    ['a block on one line', `${begin} ${end}`, unreadable],
    ['an empty block', `${begin}\n\n${end}`, unreadable],
    ['a block without the empty line', `${begin}\n${userId.toString('base64')}\n${end}`, unreadable],
    ['what is no base64', `${begin}\n\n<script>\n${end}`, unreadable],
    ['what has another checksum', known.replace('=YKXf', '=YKXg'), unreadable],
    ['a changed byte', known.replace('mDMEawGi', 'mDMEawGj'), unreadable],
    ['a private key that says it is a public one', armour(packet(5, body), userId), isPrivate],
    ['a private subkey behind a public key', armour(key, userId, packet(7, body)), isPrivate],
    ['a private key behind a public key', armour(key, userId, packet(5, body)), isPrivate],
    ['two keys', armour(key, userId, packet(6, keyBody()), userId), 'is invalid. It holds more than one key'],
    ['an owner before the key', armour(userId, key), unreadable],
    ['a key without an owner', armour(key), unreadable],
    ['an owner without a key', armour(userId), unreadable],
    ['a subkey without a key', armour(packet(14, body), userId), unreadable],
    ['a key of an old version', armour(changed(0, 3), userId), unreadable],
    ['a key of a version to come', armour(changed(0, 7), userId), unreadable],
    ['a key of no known kind', armour(changed(5, 99), userId), unreadable],
    ['a key that can’t sign', armour(changed(5, 16), userId), unreadable],
    ['a curve longer than the key', armour(changed(6, 255), userId), unreadable],
    ['a key that goes on after its end', armour(packet(6, Buffer.concat([body, Buffer.from([0])])), userId), unreadable],
    ['a key cut short', armour(packet(6, body.subarray(0, 10)), userId), unreadable],
    ['an empty key', armour(packet(6, Buffer.alloc(0)), userId), unreadable],
    ['a packet longer than the block', armour(key, Buffer.from([0xcd, 0xff, 0xff, 0xff, 0xff, 0xff])), unreadable],
    ['a packet of unknown length', armour(key, Buffer.from([0xb7, 0x41])), unreadable],
    ['a packet in parts', armour(key, Buffer.from([0xcd, 0xe0, 0x41])), unreadable],
    ['bytes that are no packet', armour(key, userId, Buffer.from([0x00])), unreadable],
  ])('%s', (_, block, fieldError) => {
    expect(() => fingerprintOfBlock(block)).toThrow(fieldError)
  })
})

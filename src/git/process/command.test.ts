import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../failure.ts'
import { command } from './command.ts'

test('literal words are parted at spaces, values are arguments whatever they hold', () => {
  expect(command`rev-list --max-count=${20} ${'a b; rm -rf $HOME'} -- ${'x y'}`).toEqual([
    'rev-list',
    '--max-count=20',
    'a b; rm -rf $HOME',
    '--',
    'x y',
  ])
})

test('a value is joined to adjacent text', () => {
  expect(command`show ${'main'}:${'a/b'} --format=${'%H'}-x ^${'old'}`).toEqual(['show', 'main:a/b', '--format=%H-x', '^old'])
  expect(command`a ${''} b`).toEqual(['a', '', 'b'])
})

test('an array gives an argument for each item, and none when it is empty', () => {
  expect(command`diff-tree ${['a', 'b']} c`).toEqual(['diff-tree', 'a', 'b', 'c'])
  expect(command`diff-tree ${[]} c`).toEqual(['diff-tree', 'c'])
  expect(command`diff-tree ${[]}`).toEqual(['diff-tree'])
})

test('a value that begins with a dash is refused before the two dashes, alone and in an array', () => {
  const bad = ['-n', '--upload-pack=touch /tmp/x', '-', '--']
  for (const value of bad) {
    expect(() => command`log ${value}`).toThrow(Failure)
    expect(() => command`log ${['main', value]}`).toThrow(Failure)
    expect(() => command`log ${value} -- ${'path'}`).toThrow(Failure)
    expect(command`log -- ${value}`).toEqual(['log', '--', value])
    expect(command`log -- ${[value]}`).toEqual(['log', '--', value])
  }
  expect(() => command`log --max-count ${-1}`).toThrow(Failure)
})

test('the refusal is a 400 that does not repeat the value', () => {
  const thrown = (() => {
    try {
      return command`log ${'--evil'}`
    } catch (error) {
      return error as Failure
    }
  })() as Failure
  expect([thrown.status, thrown.body]).toEqual([400, { message: '400 Bad request' }])
})

test('a NUL is refused everywhere, also behind the two dashes and glued to a word', () => {
  expect(() => command`log ${'a\0b'}`).toThrow(Failure)
  expect(() => command`log --format=${'\0'}`).toThrow(Failure)
  expect(() => command`log -- ${['\0']}`).toThrow(Failure)
})

test('a value of two dashes doesn’t end the options', () => {
  expect(() => command`log ${'--'} ${'--evil'}`).toThrow(Failure)
  expect(() => command`log ${['--', '--evil']}`).toThrow(Failure)
})

test('literal words stay, and no value becomes an option', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (first, second) => {
      const risky = (value: string) => value.startsWith('-') || value.includes('\0')
      const build = () => command`log --max-count=${3} ${first} ${second} --`
      if (risky(first) || risky(second)) expect(build).toThrow(Failure)
      else expect(build()).toEqual(['log', '--max-count=3', first, second, '--'])
    }),
  )
})

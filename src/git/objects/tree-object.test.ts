import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flatTree, type Tree, treeOf } from './tree-object.ts'

const id = '0020'.repeat(10)
const all = (tree: Tree) => Array.from({ length: tree.length }, (_, index) => tree.entry(index))
const namesOf = (tree: Tree) => all(tree).map(({ name }) => name)

/** A raw tree with these entries. */
function rawTree(entries: Array<[mode: string, name: string | Buffer, id: string]>): Buffer {
  return Buffer.concat(
    entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(id, 'hex')]),
  )
}

test('a tree has every entry with its mode in six digits, whatever its name: folders, then files, then submodules', () => {
  const tree = rawTree([
    ['160000', 'module', id],
    ['100644', 'with space and\nnewline', id],
    ['100755', '-run', id],
    ['120000', 'link', id],
    ['40000', 'folder', id],
    ['100644', Buffer.from([0xff, 0x61]), id],
  ])
  expect(all(treeOf(tree))).toEqual([
    { mode: '040000', type: 'tree', name: 'folder', oid: id },
    { mode: '100644', type: 'blob', name: 'with space and\nnewline', oid: id },
    { mode: '100755', type: 'blob', name: '-run', oid: id },
    { mode: '120000', type: 'blob', name: 'link', oid: id },
    { mode: '100644', type: 'blob', name: '\ufffda', oid: id },
    { mode: '160000', type: 'commit', name: 'module', oid: id },
  ])
  expect(all(treeOf(Buffer.alloc(0)))).toEqual([])
  expect(all(treeOf(rawTree([['100644', 'a', 'b'.repeat(64)]]), 32))).toMatchObject([{ name: 'a', oid: 'b'.repeat(64) }])
})

test('an entry is found by its whole name, and by nothing that is only like it', () => {
  const names = ['a', 'ab', 'b', 'a b', 'é', 'lib', '\u0001']
  const tree = treeOf(
    rawTree([...names.map((name): [string, string, string] => ['100644', name, id]), ['100644', Buffer.from([0xff]), id]]),
  )
  for (const name of [...names, '\ufffd']) expect(tree.find(name)?.name).toBe(name)
  for (const name of ['', ' b', 'abc', 'A', 'e', '100644 a', 'li', 'a\0', '\ufffd\ufffd'])
    expect([name, tree.find(name)]).toEqual([name, null])
})

test('a tree that is cut off anywhere, and any other bytes, come to an end', () => {
  const whole = rawTree([
    ['100644', 'one', id],
    ['40000', 'two', id],
  ])
  for (let length = 0; length < whole.length; length += 1) {
    const names = namesOf(treeOf(whole.subarray(0, length)))
    expect(['one', 'two'].slice(0, names.length)).toEqual(names)
  }
  expect(namesOf(treeOf(whole))).toEqual(['two', 'one'])
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, name) => {
      const tree = treeOf(Buffer.from(bytes))
      expect(all(tree).length).toBeLessThan(10)
      expect(tree.find(name)?.name ?? name).toBe(name)
    }),
  )
})

test('a recursive listing keeps paths with tabs and newlines', () => {
  const output = Buffer.from(`100644 blob ${id}\ta\tb\nc\u0000040000 tree ${id}\td/é\u0000160000 commit ${id}\tm\u0000`)
  expect(all(flatTree(output))).toEqual([
    { mode: '040000', type: 'tree', oid: id, name: 'd/é' },
    { mode: '100644', type: 'blob', oid: id, name: 'a\tb\nc' },
    { mode: '160000', type: 'commit', oid: id, name: 'm' },
  ])
  expect(all(flatTree(Buffer.alloc(0)))).toEqual([])
})

test('a folder of 100,000 files takes little more memory than on disk', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `file-${String(index).padStart(6, '0')}.txt`)
  const data = rawTree(names.map((name) => ['100644', name, id]))
  const tree = treeOf(data)
  expect([tree.length, tree.entry(99_999).name, tree.find('file-054321.txt')?.name]).toEqual([100_000, names.at(-1), 'file-054321.txt'])
  expect(tree.bytes).toBeLessThan(data.length + 5 * names.length)
})

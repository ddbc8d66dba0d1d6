/** A process that stores 4 MB in the folder it is given, and prints what that came to and which files are there. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openFolder } from '../../../src/store/folder.ts'

const folder = process.argv[2] as string
const chunks = Array.from({ length: 64 }, () => Buffer.alloc(65_536, 'x'))
const store = await openFolder(folder)
const failed = await store.put('lfs/ab/object', Readable.from(chunks), 4_194_304).then(
  () => null,
  (error: { code: string }) => error.code,
)
const entries = await readdir(folder, { recursive: true, withFileTypes: true })
const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
process.stdout.write(JSON.stringify({ failed, files }))

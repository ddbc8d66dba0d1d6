/** Backups that somebody has changed who knows how they are made: a restore leads nowhere else, and takes nothing strange. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { filesBelow, outside, repositoryDir } from '../../test/support/backups.ts'
import { engine, freshDatabase } from '../../test/support/database.ts'
import { type Forge, openForge, type TestProject } from '../../test/support/forge.ts'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { isGate } from '../../test/support/run/tiers.ts'
import { backUp } from './backup.ts'
import type { Manifest } from './manifest.ts'
import { openProgress } from './progress.ts'
import { repositoryList, type SavedRepository } from './repositories.ts'
import { restoreFrom } from './restore.ts'
import { verifyGeneration } from './verify.ts'

cpuBudget(13, 'Each damaged backup is restored to a database of its own.')

let forge: Forge
let project: TestProject
let place: string
let generation: string

const never = new AbortController().signal
const quietly = () => openProgress(true, { write: () => true, isTTY: false })
const sumOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const sumsOf = (bytes: Buffer) => ({ size: bytes.length, sha256: sumOf(bytes) })

beforeAll(async () => {
  forge = await openForge()
  project = await forge.project()
  await forge.drain()
})

beforeEach(async () => {
  place = await outside()
  const options = { verify: false, keep: null, progress: quietly(), signal: never }
  generation = (await backUp(forge.app.config, join(place, 'backups'), options)).folder
})

/** Changes the manifest, and its sum with it. */
async function changeManifest(change: (manifest: Manifest) => void): Promise<void> {
  const path = join(generation, 'manifest.json')
  const { manifest } = JSON.parse(await readFile(path, 'utf8')) as { manifest: Manifest }
  change(manifest)
  await writeFile(path, JSON.stringify({ sha256: sumOf(JSON.stringify(manifest, null, 1)), manifest }, null, 1))
}

/** Puts other bytes in the place of a file that the manifest knows. */
async function replace(name: string, bytes: Buffer): Promise<void> {
  await writeFile(join(generation, name), bytes)
  await changeManifest(({ files }) => {
    files[name] = sumsOf(bytes)
  })
}

async function changeRepository(change: (saved: SavedRepository, dir: string) => Promise<void>): Promise<void> {
  const lines = gunzipSync(await readFile(join(generation, repositoryList)))
    .toString()
    .trim()
    .split('\n')
  const all = lines.map((line) => JSON.parse(line) as SavedRepository)
  const saved = all.find(({ project_id }) => project_id === project.id) as SavedRepository
  await change(saved, repositoryDir(generation, project.id))
  await replace(repositoryList, gzipSync(all.map((one) => `${JSON.stringify(one)}\n`).join('')))
}

/** Adds a file to the repository, with its right sum. */
const withFile = (name: string, text: string) =>
  changeRepository(async (saved, dir) => {
    await mkdir(join(dir, name, '..'), { recursive: true })
    await writeFile(join(dir, name), text)
    saved.sums[name] = sumsOf(Buffer.from(text))
  })

async function objectFile(): Promise<string> {
  const dir = join(repositoryDir(generation, project.id), 'objects')
  return join(dir, [...(await filesBelow(dir)).keys()].find((name) => /^[0-9a-f]{2}\//.test(name)) as string)
}

const attacks: Record<string, [() => Promise<unknown>, RegExp]> = {
  'a file outside of the data folder': [
    async () => {
      await writeFile(join(place, 'escape'), 'text')
      await changeManifest(({ files }) => {
        files['home/../../../escape'] = sumsOf(Buffer.from('text'))
      })
    },
    /"home\/\.\.\/\.\.\/\.\.\/escape", which no backup/,
  ],
  'another file of the data folder': [
    () => changeManifest(({ files }) => void Object.assign(files, { 'home/gitstead.sqlite': sumsOf(Buffer.from('')) })),
    /no backup/,
  ],
  'a file outside of a repository': [() => withFile('../escape', 'text'), /"\.\.\/escape", which no backup/],
  'a ref that climbs': [() => withFile('refs/../../escape', 'text'), /no backup/],
  'a hook': [() => withFile('hooks/post-update', '#!/bin/sh\n'), /"hooks\/post-update", which no backup/],
  'a configuration of git': [
    () => withFile('config', '[core]\n\tbare = true\n\tsshCommand = touch /tmp/owned\n'),
    /"config", which no backup/,
  ],
  'a common folder': [() => withFile('commondir', '/tmp\n'), /"commondir", which no backup/],
  'a project that is no number': [
    () => changeRepository(async (saved) => void Object.assign(saved, { project_id: '../1' })),
    /"\.\.\/1", which no backup/,
  ],
  'a table of the engine': [
    () => changeManifest(({ tables }) => void tables.push({ name: 'pg_authid', columns: ['a'], rows: 1 })),
    /"pg_authid"/,
  ],
  'a table of another schema': [
    () => changeManifest(({ tables }) => void tables.push({ name: 'other.x', columns: ['a'], rows: 1 })),
    /"other\.x"/,
  ],
  'a link in the place of an object': [
    async () => {
      const path = await objectFile()
      await rm(path)
      await symlink('/etc/passwd', path)
    },
    /is a symbolic link/,
  ],
  'a pipe in the place of an object': [
    async () => {
      const path = await objectFile()
      await rm(path)
      execFileSync('mkfifo', [path])
    },
    /is no plain file/,
  ],
  'an endless device in the place of a list': [
    async () => {
      await rm(join(generation, repositoryList))
      await symlink('/dev/zero', join(generation, repositoryList))
    },
    /is a symbolic link/,
  ],
  'a line without an end': [() => replace(repositoryList, gzipSync(Buffer.alloc(70 * 1024 * 1024, 'x'))), /has a line of more than/],
  'a link in the place of the manifest': [
    async () => {
      await rm(join(generation, 'manifest.json'))
      await symlink('/dev/zero', join(generation, 'manifest.json'))
    },
    /is a symbolic link/,
  ],
}

/** 1 to 3 s of processor each. The gate has a path that climbs, a hook, and a link in the place of an object. */
const inFullRunAlone = [
  'a ref that climbs',
  'a configuration of git',
  'a common folder',
  'a project that is no number',
  'a pipe in the place of an object',
  'an endless device in the place of a list',
  'a line without an end',
]
/** Names of tables are for the database to refuse; what stands in the place of files never reaches it. */
const tried = Object.keys(attacks).filter(
  (name) => (engine === 'sqlite' || name.startsWith('a table')) && !(isGate && inFullRunAlone.includes(name)),
)

test.each(tried)('%s', async (name) => {
  const [attack, words] = attacks[name] as (typeof attacks)[string]
  await attack()
  const home = join(place, 'restored')
  const database = await freshDatabase(home)
  onTestFinished(() => database.drop())
  const env = { GITSTEAD_HOME: home, ...(database.url && { GITSTEAD_DATABASE_URL: database.url }) }
  const before = (await readdir(place)).filter((entry) => entry !== 'restored').sort()
  for (const verify of [false, true]) {
    const restored = restoreFrom(env, generation, { verify, progress: quietly(), signal: never })
    await expect(restored, String(verify)).rejects.toThrow(verify ? /./ : words)
    expect((await readdir(home).catch(() => [] as string[])).filter((entry) => !entry.startsWith('gitstead.sqlite'))).toEqual([])
  }
  expect((await readdir(place)).filter((entry) => entry !== 'restored').sort()).toEqual(before)
  await verifyGeneration(generation, quietly()).catch(() => {})
  await expect(stat('/tmp/owned')).rejects.toThrow('ENOENT')
})

test('a backup links no links that somebody has put in the place of files of the one before', async () => {
  const path = await objectFile()
  await rm(path)
  await symlink('/etc/passwd', path)
  const options = { verify: true, keep: null, progress: quietly(), signal: never }
  const next = await backUp(forge.app.config, join(place, 'backups'), options)
  expect([next.isComplete, options.progress.faults]).toEqual([true, []])
})

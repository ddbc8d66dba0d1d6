/** Positions of notes on a diff: those that are accepted, how they are stored, and all that are refused. */
import { beforeAll, expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { currentVersion } from '../versions/versions.ts'
import { lineCode } from './line-codes.ts'
import { type PositionRequest, placeOnCommit, placeOnMergeRequest } from './placing.service.ts'
import type { DiffRefs } from './positions.ts'

let forge: Forge
let author: TestUser
let project: TestProject
let repo: Repo
let request: MergeRequest
let refs: DiffRefs

const numbered = (count: number, change: Record<number, string | null> = {}) =>
  Array.from({ length: count }, (_, index) => change[index + 1] ?? (index + 1 in change ? '' : `line ${index + 1}\n`)).join('')

beforeAll(async () => {
  forge = await testForge()
  author = await forge.user()
  project = await forge.project({ maintainer: author })
  repo = forge.app.git.open(project.id)
  const image = '\0\u0001\u0002'
  const [, head] = (await shape(project.dir, [
    { branch: 'main', files: { 'f.txt': numbered(40), 'old.txt': numbered(30), 'gone.txt': 'a\nb\n', 'kept.txt': 'x\n', 'i.png': image } },
    {
      branch: 'topic',
      parents: ['main'],
      files: {
        'f.txt': numbered(40, { 10: 'ten\nand more\n', 20: null }),
        'old.txt': null,
        'new.txt': numbered(30, { 3: 'three\n' }),
        'gone.txt': null,
        'added.txt': 'one\ntwo\n',
        'i.png': `${image}\u0003`,
      },
    },
  ])) as [string, string]
  request = await forge.mergeRequest(project, author, { source_branch: 'topic' })
  await currentVersion(forge.app, request)
  const base = await git(project.dir, 'rev-parse', 'main')
  refs = { base_sha: base, start_sha: base, head_sha: head }
})

type Asked = Partial<PositionRequest>

const asked = (position: Asked): PositionRequest => ({ ...(refs as PositionRequest), position_type: 'text', ...position })
const place = (position: Asked) => placeOnMergeRequest(forge.app.db, repo, request.id, asked(position))

test.each<[string, Asked, object, [number, number]]>([
  ['an added line', { new_path: 'f.txt', new_line: 11 }, { old_line: null, new_line: 11 }, [11, 11]],
  ['a removed line', { old_path: 'f.txt', new_path: 'f.txt', old_line: 20 }, { old_line: 20, new_line: null }, [20, 21]],
  ['a line around what changed', { new_path: 'f.txt', old_line: 12, new_line: 13 }, {}, [12, 13]],
  ['a line far from what changed', { new_path: 'f.txt', old_line: 40, new_line: 40 }, {}, [40, 40]],
  ['a line of a renamed file', { old_path: 'old.txt', new_path: 'new.txt', new_line: 3 }, { old_path: 'old.txt' }, [4, 3]],
  ['the same by its new path alone', { new_path: 'new.txt', new_line: 3 }, { old_path: 'old.txt', new_path: 'new.txt' }, [4, 3]],
  ['the same by its old path alone', { old_path: 'old.txt', old_line: 3 }, { new_path: 'new.txt' }, [3, 3]],
  ['a line of a new file', { new_path: 'added.txt', new_line: 2 }, { old_path: 'added.txt' }, [1, 2]],
  ['a line of a deleted file', { old_path: 'gone.txt', old_line: 2 }, { new_path: 'gone.txt' }, [2, 1]],
])('a note stands on %s', async (_, position, kept, [old_line, new_line]) => {
  const placed = await place(position)
  const path = (JSON.parse(placed.position) as { new_path: string }).new_path
  expect(JSON.parse(placed.position)).toMatchObject({ ...refs, position_type: 'text', ...kept })
  expect([placed.original_position, placed.line_code]).toEqual([placed.position, lineCode(path, old_line, new_line)])
})

test('a note stands on a point of an image, or on a file', async () => {
  const point = { width: 10, height: 20, x: 10, y: 0 }
  expect(JSON.parse((await place({ position_type: 'image', new_path: 'i.png', ...point })).position)).toEqual({
    ...refs,
    old_path: 'i.png',
    new_path: 'i.png',
    position_type: 'image',
    ...point,
  })
  expect(await place({ position_type: 'file', new_path: 'f.txt' })).toMatchObject({ line_code: null })
})

const line = { line_code: ["can't be blank", 'must be a valid line code'] }
const position = { position: ['is invalid'] }

test.each<[string, Asked, object]>([
  ['a line that is on both sides, named on one', { new_path: 'f.txt', new_line: 12 }, line],
  ['a line that is nowhere', { new_path: 'f.txt', new_line: 42 }, line],
  ['a line that is on both sides, past the end', { new_path: 'f.txt', old_line: 41, new_line: 41 }, line],
  ['two lines that are not the same', { new_path: 'f.txt', old_line: 5, new_line: 6 }, line],
  ['an added line, called removed', { new_path: 'f.txt', old_line: 9 }, line],
  ['a line of a binary file', { new_path: 'i.png', new_line: 1 }, line],
  ['no line', { new_path: 'f.txt' }, position],
  ['no file', { new_line: 1 }, position],
  ['a file that did not change', { new_path: 'kept.txt', old_line: 1, new_line: 1 }, position],
  ['a file that is nowhere', { new_path: '../f.txt', new_line: 1 }, position],
  ['a folder', { new_path: '', old_path: '.', new_line: 1 }, position],
  ['what git would misread', { new_path: ':(top)f.txt', new_line: 11 }, position],
  ['paths of two files', { old_path: 'gone.txt', new_path: 'f.txt', new_line: 11 }, position],
  ['the old path of a renamed file as its new one', { new_path: 'old.txt', new_line: 3 }, position],
  ['a point outside of the image', { position_type: 'image', new_path: 'i.png', width: 1, height: 1, x: 2, y: 0 }, position],
  ['an image without a point', { position_type: 'image', new_path: 'i.png', width: 1, height: 1 }, position],
  ['another head', { head_sha: '1'.repeat(40), new_path: 'f.txt', new_line: 11 }, position],
  ['a shortened id', { head_sha: 'abc', new_path: 'f.txt', new_line: 11 }, position],
])('a note on %s is refused', async (_, sent, fieldErrors) => {
  await expect(place(sent)).rejects.toMatchObject({ code: 'invalid', body: { message: fieldErrors } })
})

test('a note on an older version is traced to the newest, and one between two versions stays there', async () => {
  await shape(project.dir, [
    { branch: 'again', parents: [refs.head_sha], files: { 'f.txt': numbered(40, { 1: 'one\nmore\n', 10: 'ten\nand more\n' }) } },
  ])
  const older = await forge.mergeRequest(project, author, { source_branch: 'topic', target_branch: 'elsewhere' })
  const { version } = (await currentVersion(forge.app, request)) ?? {}
  const head = await git(project.dir, 'rev-parse', 'again')
  const row = { ...(version as NonNullable<typeof version>), merge_request_id: older.id, created_at: older.created_at }
  const { id: _, ...first } = row
  await forge.app.db
    .insertInto('merge_request_versions')
    .values([first, { ...first, head_oid: head }])
    .execute()
  const on = (sent: Asked) => placeOnMergeRequest(forge.app.db, repo, older.id, asked(sent))

  const traced = await on({ new_path: 'f.txt', new_line: 11 })
  expect(JSON.parse(traced.original_position)).toMatchObject({ ...refs, new_line: 11 })
  expect(JSON.parse(traced.position)).toMatchObject({ head_sha: head, old_line: null, new_line: 12 })
  expect(traced.line_code).toBe(lineCode('f.txt', 11, 12))
  const outdated = await on({ new_path: 'f.txt', old_path: 'f.txt', old_line: 20 })
  expect(outdated.position).toBe(outdated.original_position)
  const between = await on({ base_sha: refs.head_sha, start_sha: refs.head_sha, head_sha: head, new_path: 'f.txt', new_line: 2 })
  expect(JSON.parse(between.original_position)).toMatchObject({ base_sha: refs.head_sha, new_line: 2 })
})

test('a note on a commit names that commit and its parent, or zeros where it has none', async () => {
  const commit = await readCommit(repo, refs.head_sha)
  const own = { base_sha: commit.parents[0] as string, start_sha: commit.parents[0] as string }
  expect(await placeOnCommit(repo, commit, asked({ ...own, new_path: 'f.txt', new_line: 11 }))).toMatchObject({ commit_oid: commit.oid })
  const [root] = await shape(project.dir, [{ branch: 'island', parents: [], files: { a: 'a\n' } }])
  const zeros = '0'.repeat(40)
  const sent = asked({ base_sha: zeros, start_sha: zeros, head_sha: root as string, new_path: 'a', new_line: 1 })
  expect(await placeOnCommit(repo, await readCommit(repo, root as string), sent)).toMatchObject({ line_code: lineCode('a', 1, 1) })
  await expect(placeOnCommit(repo, commit, sent)).rejects.toMatchObject({
    body: { message: { commit_id: ['does not match the diff refs'] } },
  })
})

/** Searches: they find what has the words and nothing else, whatever was renamed or deleted meanwhile, on either engine. */
import { expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../test/support/forge.ts'
import { foldCase } from './fold-case.ts'

const names = [
  ...['alpha', 'Alpine Hut', '100% sure', 'under_score', 'back\\slash', "quote's", 'a"b"c', 'École', 'œuvre', '日本語'],
  ...['AND', 'x*y', 'ab', '(a OR b)', 'name:alpha', '-dash', 'alp'],
]
const terms = [
  ...[
    'alp',
    'ALP',
    'al',
    'a',
    'hut',
    'e hut',
    '0%',
    '%',
    '_',
    'r_s',
    '\\',
    'k\\s',
    "e's",
    'a"b"c',
    '"',
    'École',
    'ÉCOLE',
    'cole',
    'ŒUV',
    'œuv',
    '日本語',
    '日',
  ],
  ...['AND', 'OR', 'x*', 'x*y', '*', '(a', 'NEAR', 'nothing', '-dash', '\u{1F600}\u{1F600}\u{1F600}', '^alp', 'name:', ';--'],
]

function has(text: string, term: string): boolean {
  return foldCase(text).includes(foldCase(term))
}

/** The ids of all that is found, on one page, and how many there are said to be. */
async function search(forge: Forge, caller: TestUser, list: string, term: string): Promise<{ ids: number[]; total: number }> {
  const { status, body, headers } = await forge.as(caller).get(`/${list}?per_page=100&search=${encodeURIComponent(term)}`)
  expect([term, status]).toEqual([term, 200])
  return { ids: body.map(({ id }: { id: number }) => id).sort(byNumber), total: Number(headers['x-total']) }
}

const byNumber = (a: number, b: number) => a - b

test('users are found by any part of their names, whatever the signs in it', async () => {
  const forge = await testForge()
  for (const name of names) await forge.user({ name })
  const caller = await forge.user({ name: 'somebody' })
  const users = await forge.app.db.selectFrom('users').select(['id', 'name', 'username', 'email_key']).orderBy('id').execute()
  for (const term of terms) {
    const wanted = users.filter((user) => has(user.name, term) || has(user.username, term)).map(({ id }) => id)
    for (const who of [forge.root, caller]) {
      expect([term, await search(forge, who, 'users', term)]).toEqual([term, { ids: wanted, total: wanted.length }])
    }
  }
})

test('as many words as an address holds are looked for, the first fifty of them', async () => {
  const forge = await testForge()
  const words = Array.from({ length: 1_800 }, (_, index) => `w${index + 100}`)
  const [name, all] = [words.slice(0, 50).join(' '), words.join(' ')]
  const [user, group] = [await forge.user({ name }), await forge.group()]
  const project = await forge.project({ owner: user, files: null })
  const named = await forge.project({ group, name, path: 'wordy', files: null })
  for (const list of ['users', `projects/${project.id}/users`]) {
    expect((await search(forge, user, list, all)).ids).toEqual([user.id])
    expect((await search(forge, user, list, `nobody ${all}`)).ids).toEqual([])
  }
  expect((await search(forge, forge.root, `groups/${group.id}/projects`, all)).ids).toEqual([named.id])
})

test('projects are found by any part of their names, paths and descriptions, whatever the signs in it', async () => {
  const forge = await testForge()
  for (const [index, text] of names.entries()) {
    const { id } = await forge.project({ files: null, visibility: index % 2 ? 'public' : 'private' })
    await forge.app.db
      .updateTable('projects')
      .set(index % 3 ? { description: text } : { name: text })
      .where('id', '=', id)
      .execute()
  }
  const caller = await forge.user()
  const projects = await forge.app.db
    .selectFrom('projects')
    .select(['id', 'name', 'path', 'description', 'visibility'])
    .orderBy('id')
    .execute()
  // The list has a rule of its own for words that are parted or in quotes.
  for (const term of terms.filter((word) => !/[\s"]/.test(word))) {
    const wanted = projects.filter(({ name, path, description }) => [name, path, description ?? ''].some((text) => has(text, term)))
    const open = wanted.filter(({ visibility }) => visibility === 'public')
    for (const [who, rows] of [[forge.root, wanted] as const, [caller, open] as const]) {
      const ids = rows.map(({ id }) => id)
      expect([term, await search(forge, who, 'projects', term)]).toEqual([term, { ids, total: ids.length }])
    }
  }
})

test('a renamed row is found by its new name only, and a deleted one not at all', async () => {
  const forge = await testForge()
  const { db } = forge.app
  const group = await forge.group()
  const [renamed, described, deleted] = [
    await forge.project({ files: null, group, name: 'before-rename' }),
    await forge.project({ files: null, group }),
    await forge.project({ files: null, group, name: 'before-delete' }),
  ]
  await forge.as(forge.root).put(`/projects/${renamed.id}`, { name: 'after-rename' })
  await forge.as(forge.root).put(`/projects/${described.id}`, { description: 'described-anew' })
  await db.updateTable('projects').set({ star_count: 7 }).where('id', '=', renamed.id).execute()
  await db.deleteFrom('projects').where('id', '=', deleted.id).execute()
  const foundBy = async (term: string) => (await search(forge, forge.root, 'projects', term)).ids
  expect([await foundBy('before-rename'), await foundBy('after-rename'), await foundBy('described-anew')]).toEqual([
    [],
    [renamed.id],
    [described.id],
  ])
  expect(await foundBy('before-delete')).toEqual([])
  await db.updateTable('projects').set({ description: null }).where('id', '=', described.id).execute()
  await db.deleteFrom('namespaces').where('id', '=', group.id).execute()
  expect([await foundBy('described-anew'), await foundBy('after-rename')]).toEqual([[], []])
})

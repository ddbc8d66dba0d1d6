/** Files in other encodings than UTF-8 are read on each page that shows their text; what is downloaded keeps its bytes. */
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { testForge } from '../../../../test/support/forge.ts'

const german = '// Die Größe der Fläche für Köln\nconst a = 1\n'
const japanese = '// 日本語のコメント: 東京の天気は晴れです\nconst b = 2\n'

test('a file in Latin-1 and one in Shift_JIS are readable as a file, by blame, as a README and in a diff', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner, visibility: 'public' })
  const bytes = { 'old.js': iconv.encode(german, 'latin1'), 'neu.js': iconv.encode(japanese, 'shift_jis') }
  const actions = Object.entries({ ...bytes, 'docs/README.txt': bytes['old.js'] }).map(([file_path, content]) => ({
    action: 'create',
    file_path,
    content: content.toString('base64'),
    encoding: 'base64',
  }))
  const commit = { branch: 'main', commit_message: 'Old files', actions }
  const { body } = await forge.as(owner).post(`/projects/${project.id}/repository/commits`, commit)
  const anonymous = browserOf(forge.server)
  const read = (text: string) =>
    text.replaceAll(/<[^>]*>/g, '').replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
  const shown = async (page: string) => read((await anonymous.get(`/${project.full_path}/${page}`)).text)
  for (const [path, words] of [
    ['old.js', 'Größe der Fläche für Köln'],
    ['neu.js', '東京の天気は晴れです'],
  ] as const) {
    expect([path, await shown(`blob/main/${path}`)]).toEqual([path, expect.stringContaining(words)])
    expect([path, await shown(`blame/main/${path}`)]).toEqual([path, expect.stringContaining(words)])
    const raw = await forge.as(owner).get(`/projects/${project.id}/repository/files/${path}?ref=main`)
    expect(Buffer.from(raw.body.content, 'base64')).toEqual(bytes[path])
  }
  expect(await shown('tree/main/docs')).toContain('Größe der Fläche')
  const diff = await shown(`commit/${body.id}`)
  expect([diff.includes('Größe der Fläche für Köln'), diff.includes('東京の天気は晴れです')]).toEqual([true, true])
})

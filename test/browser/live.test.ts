/** Pages of which somebody else, or another tab, changes what they show; and a server that is started again meanwhile. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServer } from '../scripts/server-process.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { browsing, servedForge, signIn } from './support.ts'

const password = 'correct horse battery'

test(
  'a page that waits for changes goes on waiting when the server is started again, and offers what was pushed since',
  inFullRun('6 s of processor: a server that is started twice. shell.test.ts tests the stream of changes and what a push offers.'),
  browsing(
    async (open) => {
      const first = await startServer()
      const port = Number(new URL(first.url).port)
      const work = join(first.home, 'work')
      await git('/', 'init', '--quiet', '--initial-branch=main', work)
      const push = async (name: string) => {
        await writeFile(join(work, name), name)
        await git(work, 'add', '--all')
        await git(work, 'commit', '--quiet', '--message', `Add ${name}`)
        await git(work, 'push', '--quiet', `http://root:${first.token}@127.0.0.1:${port}/root/waiting.git`, 'main')
      }
      await push('before')
      const tab = await open({ url: first.url })
      await signIn(tab, { username: 'root', password: 'root-password' })
      const isStream = (url: string) => url.includes('/-/live')
      const opened = tab.waitForResponse((response) => isStream(response.url()) && response.ok())
      await tab.goto('/root/waiting')
      await opened
      const again = tab.waitForResponse((response) => isStream(response.url()) && response.ok())
      await first.stop()
      await startServer({ home: first.home, port })
      await push('after')
      await again
      await tab.getByText('This page has changed').waitFor()
      await tab.getByRole('button', { name: 'Show' }).click()
      await tab.getByText('Add after').first().waitFor()
    },
    { expected: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/ },
  ),
)

test(
  'of two tabs that change the same file, the second keeps its text and says that the file has changed',
  inFullRun('2 s of processor. `wikis.test.ts` has two who change a page of a wiki.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const user = await forge.user({ password })
    const project = await forge.project({ owner: user, files: { 'poem.txt': 'Roses are red\n' } })
    const address = `/${project.full_path}/edit/main/poem.txt`
    const [one, other] = [await open({ user }), await open({ user })]
    await one.goto(address)
    await other.goto(address)
    const commit = async (tab: typeof one, text: string) => {
      await tab.locator('.cm-content').click()
      await tab.keyboard.press('ControlOrMeta+a')
      await tab.keyboard.insertText(text)
      await tab.getByRole('button', { name: 'Commit changes' }).click()
    }
    await commit(one, 'Roses are blue\n')
    await one.waitForURL('**/blob/**')
    await commit(other, 'Violets are red\n')
    await other.getByRole('alert').first().waitFor()
    await expect.poll(() => other.locator('[name="content"]').inputValue()).toBe('Violets are red\n')
    expect((await git(project.dir, 'show', 'main:poem.txt')).trim()).toBe('Roses are blue')
  }),
)

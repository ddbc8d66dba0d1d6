/** The main tasks of people, from signing up to administering: by mouse, by keyboard alone, and without scripts on a phone. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicKey } from '../support/fixtures/ssh-keys.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { type Hand, handOf, tierOf, ways } from './hands.ts'
import { browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'

let counter = 0

/** A new account, signed in. */
async function signUp(hand: Hand): Promise<string> {
  counter += 1
  const username = `traveller${counter}`
  await hand.open('/users/sign_in')
  await hand.follow('/users/sign_up')
  await hand.send('/users/sign_up', { name: 'Grace Traveller', username, email: `${username}@example.com`, password })
  await hand.page.getByRole('heading', { name: 'Welcome' }).waitFor()
  return username
}

/** Makes a commit in a clone and pushes it, as people do. */
async function push(username: string, path: string): Promise<void> {
  const forge = await servedForge()
  const remote = (await forge.url()).replace('://', `://${username}:${encodeURIComponent(password)}@`)
  const work = await forge.folder()
  await git(work, 'init', '--quiet', '--initial-branch=main')
  await writeFile(join(work, 'hello.txt'), 'Hello\n')
  await writeFile(join(work, 'README.md'), '# Travels\n')
  await git(work, 'add', '--all')
  await git(work, 'commit', '--quiet', '--message=Begin')
  await git(work, 'push', '--quiet', `${remote}/${path}.git`, 'main')
}

for (const way of ways)
  test(
    `a newcomer signs up, adds a key, creates a project, pushes, reads, edits and compares: ${way.name}`,
    tierOf(way),
    browsing(async (open) => {
      const hand = await handOf(way, open)
      const username = await signUp(hand)
      const path = `${username}/travels`
      await hand.open('/profile/keys')
      await hand.send('/profile/keys', { title: 'Laptop', key: publicKey() })
      await hand.page.getByText('Laptop').first().waitFor()
      await hand.open('/projects/new')
      await hand.send('/projects/new/blank', { name: 'Travels', visibility: 'private' })
      await hand.arrive(`/${path}`)
      await push(username, path)
      await hand.open(`/${path}`)
      await hand.follow(`/${path}/tree/main`)
      await hand.follow(`/${path}/blob/main/hello.txt`)
      await hand.page.getByText('Hello').first().waitFor()
      await hand.follow(`/${path}/edit/main/hello.txt`)
      await hand.send(`/${path}/edit/main/hello.txt`, {
        content: 'Hello, world\n',
        commit_message: 'Greet the world',
        branch: 'greeting',
      })
      await hand.arrive(`/${path}/blob/greeting/hello.txt`)
      await hand.page.getByText('Hello, world').first().waitFor()
      await hand.open(`/${path}/compare/main...greeting`)
      await hand.page.getByText('Greet the world').first().waitFor()
      await hand.open(`/${path}/settings/repository`)
      await hand.send(`/${path}/protected_branches`, { name: 'release/*' })
      await hand.page.getByText('release/*').first().waitFor()
      await noSidewaysScroll(hand.page, way.window.width ?? 'desktop')
    }),
  )

for (const way of ways)
  test(
    `a reader forks a project into their own namespace: ${way.name}`,
    inFullRun('1 s of processor. `edit.test.ts` of the pages of projects makes a fork by its form.'),
    browsing(async (open) => {
      const forge = await servedForge()
      const [reader, owner] = [await forge.user({ password }), await forge.user()]
      const source = await forge.project({ owner, visibility: 'public', name: 'Origin', path: `origin${reader.id}` })
      const hand = await handOf(way, open, { user: reader })
      await hand.open(`/${source.full_path}`)
      await hand.follow(`/${source.full_path}/forks/new`)
      await hand.send(`/${source.full_path}/forks`)
      await hand.arrive(new RegExp(`^/${reader.username}/${source.path}`))
      await hand.open(`/${reader.username}/${source.path}`)
      await hand.page.getByText(source.full_path).first().waitFor()
    }),
  )

for (const way of ways)
  test(
    `an administrator blocks a user, who is signed out at once: ${way.name}`,
    tierOf(way),
    browsing(async (open) => {
      const forge = await servedForge()
      const troublemaker = await forge.user({ password })
      const theirs = await open({ user: troublemaker })
      await theirs.goto('/')
      const hand = await handOf(way, open, { user: forge.root })
      await hand.open('/admin/users')
      await hand.follow(`/admin/users/${troublemaker.username}`)
      await hand.send(`/admin/users/${troublemaker.username}/block`)
      await hand.page.locator(`form[action="/admin/users/${troublemaker.username}/unblock"]`).waitFor({ state: 'attached' })
      await theirs.goto('/profile')
      await expect.poll(() => new URL(theirs.url()).pathname).toBe('/users/sign_in')
    }),
  )

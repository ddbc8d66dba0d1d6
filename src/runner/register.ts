/** Registers, verifies and unregisters runners at servers. */
import { hostname } from 'node:os'
import { StartRefused } from '../failure.ts'
import { parseUrl } from '../text/parse-url.ts'
import { type RunnerEntry, readRunners, systemId, writeRunners } from './config.ts'
import { type Registration, registerRunner, unregisterRunner, verifyRunner } from './protocol/client.ts'

export interface RegisterOptions extends Registration {
  home: string
  url: string
  /** A registration token, or the authentication token of an existing runner. */
  token: string
  name?: string
}

type Print = (line: string) => void

/** Prefix of tokens of runners that were created through the server's API or pages. */
const authenticationToken = /^glrt-/

export async function register({ home, url, token, name, ...registration }: RegisterOptions, print: Print): Promise<void> {
  const server = checkedUrl(url)
  const label = name ?? registration.description ?? hostname()
  const created = authenticationToken.test(token)
    ? null
    : await registerRunner(server, token, { ...registration, description: registration.description ?? label })
  const known = created ?? (await verifyRunner({ url: server, token, system_id: systemId(home) }))
  if (known === null) throw new StartRefused(`${server} does not know this token, neither to register a runner nor of a runner`)
  const entry: RunnerEntry = { name: label, url: server, token: created?.token ?? token, id: known.id, isCreatedHere: created !== null }
  const others = readRunners(home).filter((other) => other.url !== entry.url || other.token !== entry.token)
  await writeRunners(home, [...others, entry])
  print(`Registered runner ${entry.id} "${entry.name}" at ${server}. Start it: gitstead runner run`)
}

/** Prints a line for each runner; returns false if a server doesn't know one. */
export async function verify(home: string, print: Print): Promise<boolean> {
  let isGood = true
  for (const runner of readRunners(home)) {
    const known = await verifyRunner({ ...runner, system_id: systemId(home) })
    print(`${runner.name} at ${runner.url}: ${known === null ? 'the server does not know it' : 'is valid'}`)
    isGood &&= known !== null
  }
  return isGood
}

/** Deletes runners that registration created, and forgets those created otherwise. */
export async function unregister(home: string, wanted: { name?: string; all: boolean }, print: Print): Promise<void> {
  const runners = readRunners(home)
  const chosen = runners.filter(({ name }) => wanted.all || name === wanted.name)
  if (chosen.length === 0)
    throw new StartRefused(wanted.all ? 'no runner is registered' : `no runner has the name "${wanted.name ?? ''}"; or use --all`)
  for (const runner of chosen) {
    const isDeleted = runner.isCreatedHere && (await unregisterRunner({ ...runner, system_id: systemId(home) }))
    await writeRunners(
      home,
      readRunners(home).filter(({ url, token }) => url !== runner.url || token !== runner.token),
    )
    print(`${runner.name} at ${runner.url}: ${isDeleted ? 'deleted' : 'forgotten here'}`)
  }
}

function checkedUrl(text: string): string {
  const url = parseUrl(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '')
    throw new StartRefused(`--url must be the address of the server, such as https://git.example.com (got "${text}")`)
  return url.href.replace(/\/+$/, '')
}

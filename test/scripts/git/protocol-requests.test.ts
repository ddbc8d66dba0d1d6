/** Requests of the protocol that no client of good will sends: each gets an answer that isn't a failure of the server. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type TestProject, testForge } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { flush, packet, post } from './wire.ts'

const delimiter = Buffer.from('0001')
const v2 = { 'git-protocol': 'version=2' }

/** One command of protocol v2 with its arguments. */
function commandOf(name: string, args: string[] = [], capabilities: string[] = []): Buffer {
  const lines = (texts: string[]) => texts.map((text) => packet(text))
  return Buffer.concat([packet(`command=${name}`), ...lines(capabilities), delimiter, ...lines(args), flush])
}

/** A fetch of protocol v0 with lines after its want. */
function oldFetch(want: string, ...args: string[]): Buffer {
  return Buffer.concat([packet(want), ...args.map((text) => packet(text)), flush, packet('done\n')])
}

async function project(): Promise<{ project: TestProject; tip: string; address: string }> {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  return { project, tip: await git(project.dir, 'rev-parse', 'main'), address: `/${project.full_path}.git/git-upload-pack` }
}

test('what git refuses is answered with 400 and the words of git', async () => {
  const forge = await testForge()
  const { address, tip } = await project()
  const fetchOf = (...args: string[]) => commandOf('fetch', [`want ${tip}`, ...args, 'done'])
  const requests: Array<[Buffer, Record<string, string>, string]> = [
    [fetchOf('deepen -1'), v2, 'Invalid deepen: deepen -1'],
    [fetchOf('deepen 9223372036854775808'), v2, 'Invalid deepen: deepen 9223372036854775808'],
    [fetchOf('deepen-not nothing'), v2, 'ambiguous deepen-not: deepen-not nothing'],
    [fetchOf('filter nonsense'), v2, "invalid filter-spec 'nonsense'"],
    [fetchOf('shallow x'), v2, 'invalid shallow line: shallow x'],
    [fetchOf('hello'), v2, "unexpected line: 'hello'"],
    [fetchOf('corrupt: unable to read'), v2, "unexpected line: 'corrupt: unable to read'"],
    [commandOf('bundle-uri'), v2, "invalid command 'bundle-uri'"],
    [commandOf('nonsense'), v2, "invalid command 'nonsense'"],
    [commandOf('fetch', [], ['object-format=sha256']), v2, 'mismatched object format: server sha1; client sha256'],
    [commandOf('fetch', [], ['unheard-of']), v2, "unknown capability 'unheard-of'"],
    [Buffer.from('0002'), v2, ''],
    [Buffer.from('ffff0'), v2, 'protocol error: bad line length 65531'],
    [oldFetch(`want ${tip}`, 'deepen -1'), {}, 'Invalid deepen: deepen -1'],
    [oldFetch(`want ${tip}`, 'deepen 9223372036854775808'), {}, 'Invalid deepen: deepen 9223372036854775808'],
    [oldFetch('want nothing'), {}, "protocol error, expected to get object ID, not 'want nothing'"],
  ]
  for (const [body, headers, words] of requests) {
    const { status, text } = await post(forge, address, body, { headers })
    expect([status, text]).toEqual([400, `This is no request that git understands${words && ': '}${words}.\n`])
  }
})

test('what git answers in its own protocol stays so', async () => {
  const forge = await testForge()
  const { address } = await project()
  const answer = await post(forge, address, commandOf('fetch', [`want ${'1'.repeat(40)}`, 'done']), { headers: v2 })
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('ERR upload-pack: not our ref')])
})

/** A seeded generator, so that each run uses the same numbers. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Cut short, with bytes changed, doubled or put in. */
function spoilt(body: Buffer, next: (below: number) => number): Buffer {
  const at = next(body.length + 1)
  const [before, after] = [body.subarray(0, at), body.subarray(at)]
  switch (next(4)) {
    case 0:
      return Buffer.from(before)
    case 1:
      return Buffer.concat([before, Buffer.from([next(256)]), after.subarray(1)])
    case 2:
      return Buffer.concat([before, after.subarray(0, next(40)), after])
    default:
      return Buffer.concat([before, Buffer.from(['0000', '0001', '0002', 'ffff', '-1', '\0'][next(6)] as string), after])
  }
}

test(
  'no request that was spoilt on its way is a failure of the server',
  inFullRun('1 s of processor. `bad-requests.test.ts` sends bodies that are no request of git.'),
  async () => {
    const forge = await testForge()
    const { address, tip } = await project()
    const zero = '0'.repeat(40)
    const bodies: Array<[string, Buffer, Record<string, string>]> = [
      ['upload-pack', commandOf('fetch', ['thin-pack', 'include-tag', 'deepen 1', `want ${tip}`, `have ${tip}`, 'done'], ['agent=x']), v2],
      ['upload-pack', commandOf('ls-refs', ['peel', 'symrefs', 'ref-prefix refs/heads/'], ['object-format=sha1']), v2],
      ['upload-pack', commandOf('object-info', ['size', `oid ${tip}`]), v2],
      ['upload-pack', oldFetch(`want ${tip} multi_ack side-band-64k filter`, 'deepen 1', 'filter blob:none'), {}],
      ['upload-pack', oldFetch(`want ${tip} multi_ack side-band-64k`), { 'git-protocol': 'version=1' }],
      [
        'receive-pack',
        Buffer.concat([packet(`${zero} ${tip} refs/heads/x\0report-status`), flush, Buffer.from('PACK\0\0\0\x02\0\0\0\0')]),
        {},
      ],
    ]
    const next = numbers(7)
    const failed: unknown[] = []
    for (let round = 0; round < Number(process.env.GITSTEAD_TEST_FUZZ ?? 120); round += 1) {
      const [service, body, headers] = bodies[round % bodies.length] as (typeof bodies)[number]
      const sent = spoilt(spoilt(body, next), next)
      const { status, text } = await post(forge, address.replace('upload-pack', service), sent, { user: forge.root, headers })
      if (status >= 500) failed.push([service, sent.toString('latin1'), status, text])
    }
    expect(failed).toEqual([])
  },
)

test(
  'a compressed body that unfolds to hundreds of megabytes is refused, for a fetch and for a push',
  inFullRun('4 s of processor. bad-requests.test.ts sends broken ones, and the limit is counted alike.'),
  async () => {
    const forge = await testForge()
    const { address, tip } = await project()
    const bomb = gzipSync(Buffer.alloc(300 * 1024 ** 2, packet(`want ${tip}\n`)), { level: 1 })
    const changes = Buffer.alloc(300 * 1024 ** 2, packet(`${tip} ${tip} refs/heads/x\n`))
    const headers = { 'content-encoding': 'gzip' }

    const fetched = await post(forge, address, bomb, { headers })
    const pushed = await post(forge, address.replace('upload-pack', 'receive-pack'), gzipSync(changes, { level: 1 }), {
      user: forge.root,
      headers,
    })

    const refusal = [413, 'The request is larger than 32 MiB.\n']
    expect([
      [fetched.status, fetched.text],
      [pushed.status, pushed.text],
    ]).toEqual([refusal, refusal])
  },
)

test('a compressed negotiation of a few megabytes is answered', async () => {
  const forge = await testForge()
  const { address, tip } = await project()
  const haves = Buffer.alloc(6 * 1024 ** 2 - ((6 * 1024 ** 2) % 50), packet(`have ${tip}\n`))
  const body = Buffer.concat([packet(`want ${tip} no-progress\n`), flush, haves, packet('done\n')])
  const answer = await post(forge, address, gzipSync(body), { headers: { 'content-encoding': 'gzip' } })
  expect([answer.status, answer.text.includes(`ACK ${tip}`)]).toEqual([200, true])
})

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { connect, Socket } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { cpuBudget } from '../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { forkServer } from './fork-server-client.ts'
import { type Program, type ProgramOptions, startDirectly } from './program.ts'

cpuBudget(6, 'Hundreds of programs, and 80 MB through their streams.')

const environment = { PATH: process.env.PATH ?? '' }

function start(command: string, options: Partial<ProgramOptions> = {}): Program {
  return forkServer().start('/bin/sh', ['-c', command], { cwd: '/', env: environment, ...options })
}

/** All it says, and how it ends. */
async function outcomeOf(program: Program): Promise<{ out: string; err: string; code: number | null; signal: string | null }> {
  program.stdin.end()
  const [out, err, ending] = await Promise.all([text(program.stdout), text(program.stderr), program.ended])
  return { out, err, ...ending }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const waits = { timeout: 20_000, interval: 20 }

/** The process that starts programs at present. */
async function serverPid(): Promise<number> {
  await forkServer().ready()
  return forkServer().pid as number
}

test('a program has its environment, nothing more, its folder, and a process group of its own', async () => {
  process.env.GITSTEAD_FORK_SECRET = 'secret'
  const env = { PATH: '/usr/bin:/bin', WORD: 'ein wört\nzwei' }
  const seen = await outcomeOf(start('tr "\\0" "\\n" < /proc/$$/environ; pwd; echo $$ $(ps -o pgid= -p $$)', { cwd: tmpdir(), env }))
  delete process.env.GITSTEAD_FORK_SECRET
  const lines = seen.out.trim().split('\n')
  expect(lines.slice(0, -2).sort()).toEqual(['PATH=/usr/bin:/bin', 'WORD=ein wört', 'zwei'])
  expect(lines.at(-2)).toBe(tmpdir())
  const [pid, group] = (lines.at(-1) as string).split(' ')
  expect(group).toBe(pid)
  expect(readFileSync(`/proc/${await serverPid()}/environ`, 'utf8')).not.toContain('GITSTEAD')
})

test('a program has the files that it would have of this process itself, and no other', async () => {
  const list = ['-c', 'ls /proc/$$/fd']
  const options = { cwd: '/', env: environment, extra_pipes: 2 }
  const [usual, seen] = await Promise.all([startDirectly, forkServer().start].map((by) => outcomeOf(by('/bin/sh', list, options))))
  expect(seen).toEqual(usual)
  expect(seen?.out.split('\n')).toEqual(expect.arrayContaining(['0', '1', '2', '3', '4']))
})

test.each([
  ['exit 0', { code: 0, signal: null }],
  ['exit 41', { code: 41, signal: null }],
  ['kill -KILL $$', { code: null, signal: 'SIGKILL' }],
  ['kill -XCPU $$', { code: null, signal: 'SIGXCPU' }],
  ['kill -PIPE $$', { code: null, signal: 'SIGPIPE' }],
])('it is known how a program ends: %s', async (command, ending) => {
  expect(await outcomeOf(start(`echo out; echo err >&2; ${command}`))).toEqual({ out: 'out\n', err: 'err\n', ...ending })
})

test('a program or a folder that is missing, or too many arguments, fail the start and nothing else', async () => {
  const options = { cwd: '/', env: environment }
  const failed = [
    forkServer().start('/nonexistent/program', [], options),
    forkServer().start('/bin/true', [], { ...options, cwd: '/nonexistent' }),
    forkServer().start('/bin/true', ['x'.repeat(3_000_000)], options),
    forkServer().start('/bin/true', ['\0'], options),
  ]
  const outcomes = failed.map((program) => {
    program.stdin.end('never read')
    return Promise.all([text(program.stdout).catch((error) => error), program.ended.catch((error) => error)])
  })
  const failure = { code: 'git_failed', status: 500 }
  for (const outcome of outcomes) expect(await outcome).toMatchObject([failure, failure])
  expect((await outcomeOf(start('echo still here'))).out).toBe('still here\n')
})

test(
  'much goes both ways at once, and each byte arrives',
  inFullRun('1 s of processor. Programs get their input and end it in the tests around it.'),
  async () => {
    const input = randomBytes(50 * 1024 * 1024)
    const program = start('head -c 30000000 /dev/zero >&2 & cat; wait')
    const [out, err] = await Promise.all([buffer(program.stdout), buffer(program.stderr), pipeline([input], program.stdin)])
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect([digest(out), digest(err)]).toEqual([digest(input), digest(Buffer.alloc(30_000_000))])
    expect(await program.ended).toEqual({ code: 0, signal: null })
  },
)

test('the end of stdin is an end; without it a program waits', async () => {
  const program = start('read line; echo "$line"; cat; echo end')
  program.stdin.write('first\n')
  expect(String((await once(program.stdout, 'data'))[0])).toBe('first\n')
  program.stdin.write('second')
  expect(String((await once(program.stdout, 'data'))[0])).toBe('second')
  program.stdin.end()
  expect(String((await once(program.stdout, 'data'))[0])).toBe('end\n')
  expect(await program.ended).toEqual({ code: 0, signal: null })
})

test('stdin that was written and closed before its program started still reaches it: the first one, and a hundred others', async () => {
  const before = await serverPid()
  process.kill(before, 'SIGKILL')
  await expect.poll(() => forkServer().pid).not.toBe(before)
  const echoed = (input: string) => {
    const program = start('cat')
    program.stdin.end(input)
    return text(program.stdout)
  }
  expect(await echoed('first')).toBe('first')
  const inputs = Array.from({ length: 100 }, (_, index) => String(index))
  expect(await Promise.all(inputs.map(echoed))).toEqual(inputs)
})

test('a program that ends before it has read everything ends its stdin, and is told of with what it wrote', async () => {
  const program = start('echo enough; exit 3')
  const written = pipeline([Buffer.alloc(20_000_000)], program.stdin).catch((error: NodeJS.ErrnoException) => error.code)
  expect(await text(program.stdout)).toBe('enough\n')
  expect(await program.ended).toEqual({ code: 3, signal: null })
  expect(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET']).toContain(await written)
})

test('a program whose reader waits waits too, and one whose reader leaves is ended by that', async () => {
  const slow = start('head -c 30000000 /dev/zero; echo written >&2')
  let wrote = false
  slow.stderr.once('data', () => {
    wrote = true
  })
  slow.stdin.end()
  expect(await once(slow.stdout, 'readable').then(() => (slow.stdout.read() as Buffer).length)).toBeLessThan(1_000_000)
  expect((await outcomeOf(start('sleep 0.2'))).code).toBe(0)
  expect(wrote).toBe(false)
  expect((await buffer(slow.stdout)).length).toBeGreaterThan(28_000_000)
  expect((await slow.ended).code).toBe(0)

  const left = start('trap "" TERM; exec cat /dev/zero')
  await once(left.stdout, 'readable')
  left.stdout.destroy()
  // By the signal; or by an error, where something written had not been read.
  expect([
    { code: null, signal: 'SIGPIPE' },
    { code: 1, signal: null },
  ]).toContainEqual(await left.ended)
})

test('streams that are given up before the program runs are closed for it', async () => {
  const program = start('read line || echo "nothing to read" >&2; echo lost || exit 9')
  program.stdout.destroy()
  program.stdin.destroy()
  const [err, ending] = await Promise.all([text(program.stderr), program.ended])
  expect(err).toContain('nothing to read')
  expect(ending.code === 9 || ending.signal === 'SIGPIPE').toBe(true)
})

test('more pipes go both ways, and block as pipes do', async () => {
  const program = start('read line <&3; echo "3 has $line" >&3; read line <&4; echo "4 has $line" >&4', { extra_pipes: 2 })
  const [three, four] = program.pipes as [Program['pipes'][0], Program['pipes'][0]]
  const answers = Promise.all([text(three), text(four)])
  // It waits for the first line meanwhile.
  expect((await outcomeOf(start('sleep 0.1'))).code).toBe(0)
  three.write('one\n')
  four.write('two\n')
  expect(await outcomeOf(program)).toMatchObject({ code: 0, err: '' })
  expect(await answers).toEqual(['3 has one\n', '4 has two\n'])
})

test('signals reach all of the group, also those sent before it runs', async () => {
  const early = start('sleep 47 & wait')
  early.signal('SIGTERM')
  expect(await early.ended).toEqual({ code: null, signal: 'SIGTERM' })

  const late = start('sleep 47 & echo $!; wait')
  const pid = Number((await once(late.stdout, 'data'))[0])
  late.signal('SIGKILL')
  expect(await late.ended).toEqual({ code: null, signal: 'SIGKILL' })
  await expect.poll(() => isAlive(pid), waits).toBe(false)
})

test('a program of low priority has it, with what it starts', async () => {
  const program = start('read line; nice', { low_priority: true })
  // By then it has been lowered.
  await outcomeOf(start('exit'))
  program.stdin.end('\n')
  expect(Number(await text(program.stdout))).toBe(19)
  expect(getPriority(await serverPid())).toBe(getPriority())
})

test(
  'two hundred at once have each their own streams',
  inFullRun('1 s of processor. A hundred wait for their start in another test.'),
  async () => {
    const programs = Array.from({ length: 200 }, (_, index) => {
      const program = start(`read line; echo "out ${index} $line"; echo "err ${index}" >&2; exit ${index % 100}`)
      program.stdin.end(`in ${index}\n`)
      return Promise.all([text(program.stdout), text(program.stderr), program.ended])
    })
    const expected = programs.map((_, index) => [`out ${index} in ${index}\n`, `err ${index}\n`, { code: index % 100, signal: null }])
    expect(await Promise.all(programs)).toEqual(expected)
  },
)

test('only its own user reaches the socket, and only who knows the secret gets streams', async () => {
  await forkServer().ready()
  const path = forkServer().path as string
  expect(((await stat(join(path, '..'))).mode & 0o777).toString(8)).toBe('700')
  const stranger = connect(path)
  const closed = once(stranger, 'close')
  stranger.resume()
  stranger.write(Buffer.concat([randomBytes(16), Buffer.alloc(8)]))
  expect((await outcomeOf(start('echo mine'))).out).toBe('mine\n')
  await closed
})

test('where the process that starts programs is killed, what ran fails and is ended, and the next programs run', async () => {
  const victim = await serverPid()
  const path = forkServer().path as string
  const running = start('trap "" TERM; echo $$; sleep 47 & wait; wait')
  const pid = Number((await once(running.stdout, 'data'))[0])
  // By then its process id has been told.
  await outcomeOf(start('exit'))
  const others = Array.from({ length: 100 }, (_, index) => outcomeOf(start(`echo ${index}`)).catch((error: Error) => error))
  process.kill(victim, 'SIGKILL')
  await expect(running.ended).rejects.toThrow('the process that starts programs has ended')
  await expect.poll(() => isAlive(pid), waits).toBe(false)
  for (const [index, program] of others.entries()) {
    const outcome = await program
    if (!(outcome instanceof Error)) expect(outcome).toMatchObject({ out: `${index}\n`, code: 0 })
  }
  expect(await outcomeOf(start('echo again'))).toMatchObject({ out: 'again\n', code: 0 })
  expect(await serverPid()).not.toBe(victim)
  await expect.poll(() => existsSync(path), waits).toBe(false)
})

test('signals to everything at a terminal leave it running', async () => {
  const pid = await serverPid()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, name)
  expect((await outcomeOf(start('echo here'))).out).toBe('here\n')
  expect(await serverPid()).toBe(pid)
})

test('the fork server ends with the process it works for, even after a kill, and never keeps that process alive', async () => {
  const module = JSON.stringify(new URL('./fork-server-client.ts', import.meta.url).href)
  const script = `const { forkServer } = await import(${module})
    await forkServer().ready()
    if (process.argv[1] === 'look') process.stdout.write(forkServer().pid + ' ')
    else {
    const program = forkServer().start('/bin/sh', ['-c', 'echo works'], { cwd: '/', env: {} })
    program.stdout.on('data', (data) => process.stdout.write(forkServer().pid + ' ' + data))
    await program.ended
    if (process.argv[1] === 'stay') setInterval(() => {}, 1000)
    }`
  const run = (how: string) =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, how], { stdio: ['ignore', 'pipe', 'inherit'] })
  for (const how of ['look', 'end']) {
    const ending = run(how)
    const first = Number.parseInt(await text(ending.stdout), 10)
    expect(ending.exitCode ?? (await once(ending, 'exit'))[0]).toBe(0)
    await expect.poll(() => isAlive(first), waits).toBe(false)
  }

  const staying = run('stay')
  const second = Number.parseInt(String((await once(staying.stdout, 'data'))[0]), 10)
  expect(isAlive(second)).toBe(true)
  staying.kill('SIGKILL')
  await expect.poll(() => isAlive(second), waits).toBe(false)
})

test('a socket that is not connected yet takes what is written', () => {
  // `StreamSocket` builds on this behavior of Node.js.
  const socket = new Socket()
  Object.assign(socket, { connecting: true })
  socket.on('error', () => {})
  expect(socket.write('x')).toBe(true)
  expect([socket.destroyed, socket.pending]).toEqual([false, true])
  socket.destroy()
})

/**
 * Bubblewrap sandbox for the processes of a job: it can write to its own folder, read the programs of the system, and has no network unless
 * allowed.
 */
import { spawn } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync } from 'node:fs'

export interface Sandbox {
  kind: 'bubblewrap' | 'none'
  hasNetwork: boolean
  /** Folders that jobs may read besides those of the system. */
  read_paths: string[]
}

export interface SandboxedFolders {
  /** The only writable folder, at its own path. */
  folder: string
  /** Mounted as `/tmp`. */
  tmp: string
  /** Working directory. */
  cwd: string
}

const bubblewrap = 'bwrap'
/** Links on some systems, folders on others. */
const besideUsr = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** Programs need these to look up users, hosts, certificates and libraries. None of it is secret. */
const readable = [
  ...['/usr', '/opt', '/nix/store', '/run/systemd/resolve', '/run/resolvconf'],
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'debian_version', 'group', 'host.conf', 'hosts'].map(
    etc,
  ),
  ...[
    'java-17-openjdk',
    'ld.so.cache',
    'ld.so.conf',
    'ld.so.conf.d',
    'locale.alias',
    'localtime',
    'magic',
    'mime.types',
    'nsswitch.conf',
  ].map(etc),
  ...['os-release', 'passwd', 'pki', 'protocols', 'resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'timezone'].map(etc),
]

function etc(name: string): string {
  return `/etc/${name}`
}

/** The command line inside of the sandbox, or unchanged without one. The network is available if either allows it. */
export function inSandbox(sandbox: Sandbox, folders: SandboxedFolders, program: string[], needsNetwork = false): string[] {
  if (sandbox.kind === 'none') return program
  const hasNetwork = sandbox.hasNetwork || needsNetwork
  return [
    bubblewrap,
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--cap-drop', 'ALL', '--hostname', 'gitstead-runner'],
    ...[...readable, ...sandbox.read_paths].flatMap((path) => ['--ro-bind-try', path, path]),
    ...besideUsr.flatMap(systemFolder),
    ...['--proc', '/proc', '--dev', '/dev', '--bind', folders.tmp, '/tmp', '--bind', folders.folder, folders.folder],
    ...['--chdir', folders.cwd, '--', ...program],
  ]
}

function systemFolder(path: string): string[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** Null if the sandbox works, otherwise the reason why it doesn't. */
export function probeSandbox(): Promise<string | null> {
  return new Promise((resolve) => {
    const sandbox: Sandbox = { kind: 'bubblewrap', hasNetwork: false, read_paths: [] }
    const [program = '', ...args] = inSandbox(sandbox, { folder: '/usr', tmp: '/usr', cwd: '/' }, ['/bin/true'])
    const probe = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let complaint = ''
    probe.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk.toString().slice(0, 500)
    })
    probe.once('error', () => resolve('bubblewrap (bwrap) is not installed'))
    probe.once('close', (code) =>
      resolve(code === 0 ? null : `bubblewrap does not work here: ${complaint.trim() || `exit status ${code}`}`),
    )
  })
}

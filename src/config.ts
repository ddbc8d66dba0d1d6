/** Every setting of the process: its name, its default, its meaning and its valid values. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { readDatabaseUrl, readHost, readNetworks, readSshUrl, readUrl, refuse, type Setting, secret, wholeNumber } from './config.values.ts'
import { StartRefused } from './failure.ts'
import { type LimitConfig, limitSettings, readLimits } from './limits/settings.ts'
import { type RepliesConfig, readReplies, replySettings } from './mail/reply-settings.ts'
import { type MailConfig, mailSettings, readMail } from './mail/settings.ts'
import { type IdentityProviderConfig, identityProviderSettings, readIdentityProviders } from './outgoing/identity-providers/settings.ts'
import { readS3, type S3Config, s3Settings } from './store/settings.ts'

export interface Config {
  /** The data folder: database, repositories, secrets. Absolute. */
  home: string
  /** Number of server processes; 1 means that this process serves alone. */
  processes: number
  host: string
  port: number
  /** Addresses and networks of the proxies whose `X-Forwarded-For` is trusted. */
  trusted_proxies: string[]
  /** External URL, without a trailing slash. */
  url: string
  /** The host in `url`. */
  hostname: string
  /** Address the SSH server listens on. */
  ssh_host: string
  /** Port of the SSH server; null if there is none. */
  ssh_port: number | null
  /** Whether the port was set explicitly: the start then fails if it is in use. */
  ssh_port_asked: boolean
  /** External address of git over SSH, as in `ssh_url_to_repo`. */
  ssh_address: { host: string; port: number }
  /** File maintained for OpenSSH (setting `authorized_keys_enabled`). Absolute. */
  authorized_keys: string
  /** `postgres://…`, or null for SQLite in the data folder. */
  database_url: string | null
  root_password: string | null
  root_token: string | null
  /** The key that seals secrets in the database; null for the key file in the data folder. */
  secret_key: string | null
  default_branch: string
  /** The release by which clients choose features, such as `17.11.0`. */
  api_version: string
  /** Whether programs may register themselves as OAuth applications. */
  oauth_registration: boolean
  /** The service that checks for spam, without a slash at its end. */
  spam_check_url: string
  limits: LimitConfig
  /** Bucket for large files; null for the data folder. */
  s3: S3Config | null
  /** Null if no mail is sent. */
  mail: MailConfig | null
  /** Null if replies to mail are not read. */
  replies: RepliesConfig | null
  identity_providers: IdentityProviderConfig
  log_level: string
}

const maxProcesses = 64

const settings = {
  GITSTEAD_HOME: {
    fallback: './data',
    meaning: 'data folder: database, repositories, secrets',
    read: (value) => resolve(value),
  },
  GITSTEAD_PROCESSES: {
    fallback: '1',
    meaning: 'number of server processes on this machine; auto for one per CPU core',
    read: (value) => (value === 'auto' ? Math.min(availableParallelism(), maxProcesses) : wholeNumber(value, 1, maxProcesses)),
  },
  GITSTEAD_HOST: {
    fallback: '127.0.0.1',
    meaning: 'address to listen on; 0.0.0.0 for all IPv4 interfaces, :: for all',
    read: readHost,
  },
  GITSTEAD_PORT: {
    fallback: '3000',
    meaning: 'port for HTTP',
    read: (value) => wholeNumber(value, 1, 65_535),
  },
  GITSTEAD_TRUSTED_PROXIES: {
    fallback: '127.0.0.0/8,::1',
    meaning: 'proxies whose X-Forwarded-For is trusted: addresses and networks, separated by commas; none to trust no proxy',
    read: readNetworks,
  },
  GITSTEAD_URL: {
    fallback: '',
    meaning: 'external URL, used in links; http://HOST:PORT if empty',
    read: readUrl,
  },
  GITSTEAD_SSH_HOST: {
    fallback: '',
    meaning: 'address to listen on for git over SSH; GITSTEAD_HOST if empty',
    read: (value) => (value ? readHost(value) : null),
  },
  GITSTEAD_SSH_PORT: {
    fallback: '2222',
    meaning: 'port for git over SSH; off to disable',
    read: (value) => (value === 'off' ? null : wholeNumber(value, 1, 65_535)),
  },
  GITSTEAD_SSH_URL: {
    fallback: '',
    meaning: 'external ssh://HOST:PORT, used in clone URLs; if empty, the host of GITSTEAD_URL with GITSTEAD_SSH_PORT',
    read: readSshUrl,
  },
  GITSTEAD_AUTHORIZED_KEYS: {
    fallback: '',
    meaning: 'authorized_keys file maintained for OpenSSH; GITSTEAD_HOME/ssh/authorized_keys if empty',
    read: (value, home) => (value ? resolve(value) : join(home, 'ssh', 'authorized_keys')),
  },
  GITSTEAD_DATABASE_URL: {
    fallback: '',
    meaning: 'postgres://USER:PASSWORD@HOST:PORT/NAME; SQLite in the data folder if empty',
    read: readDatabaseUrl,
  },
  GITSTEAD_ROOT_PASSWORD: {
    fallback: '',
    meaning: 'password of the first administrator, at least 8 characters; generated if empty',
    read: (value) => secret(value, 8),
  },
  GITSTEAD_ROOT_TOKEN: {
    fallback: '',
    meaning: 'first access token of the first administrator, at least 20 characters; generated if empty',
    read: (value) => secret(value, 20),
  },
  GITSTEAD_SECRET_KEY: {
    fallback: '',
    meaning:
      'key for secrets in the database (CI variables, tokens of triggers), at least 32 characters; secret-key in the data folder if empty',
    read: (value) => secret(value, 32),
  },
  GITSTEAD_DEFAULT_BRANCH: {
    fallback: 'main',
    meaning: 'default branch of new projects',
    read: (value) => (/^(?![-./])[\w./-]+(?<![./])$/.test(value) && !/\.\.|\/\/|\/\.|\.lock/.test(value) ? value : refuse('a branch name')),
  },
  GITSTEAD_API_VERSION: {
    fallback: '17.11.0',
    meaning: 'version that clients of the API are told, as MAJOR.MINOR.PATCH: by it they choose what they ask for',
    read: (value) => (/^\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(value) ? value : refuse('a version, as 17.11.0')),
  },
  GITSTEAD_OAUTH_REGISTRATION: {
    fallback: 'false',
    meaning: 'true: programs may register themselves as OAuth applications',
    read: (value) => (/^(true|false)$/.test(value) ? value === 'true' : refuse('true or false')),
  },
  GITSTEAD_SPAM_CHECK_URL: {
    fallback: 'https://rest.akismet.com/1.1',
    meaning: 'URL of the service that checks for spam, by the protocol of Akismet; asked only if the setting spamcheck_enabled is true',
    read: (value) => readUrl(value) ?? refuse('a URL'),
  },
  ...limitSettings,
  ...s3Settings,
  ...mailSettings,
  ...replySettings,
  ...identityProviderSettings,
  GITSTEAD_LOG_LEVEL: {
    fallback: 'info',
    meaning: 'fatal, error, warn, info, debug, trace or silent',
    read: (value) =>
      /^(fatal|error|warn|info|debug|trace|silent)$/.test(value) ? value : refuse('fatal, error, warn, info, debug, trace or silent'),
  },
} satisfies Record<string, Setting<unknown>>

type SettingName = keyof typeof settings

/** The lines `--help` shows. */
export function describeSettings(): string {
  const width = Math.max(...Object.keys(settings).map((name) => name.length)) + 2
  const lines = Object.entries(settings).map(
    ([name, { fallback, meaning }]) => `  ${name.padEnd(width)}${meaning}${fallback ? ` (default ${fallback})` : ''}`,
  )
  return ['Settings, from the environment or from GITSTEAD_HOME/gitstead.env:', ...lines].join('\n')
}

/**
 * Reads the settings from the environment, then from `gitstead.env` in the data folder, then the defaults. Throws StartRefused with one
 * clear line for an invalid value.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const home = read('GITSTEAD_HOME', env.GITSTEAD_HOME || settings.GITSTEAD_HOME.fallback, '') as string
  const file = join(home, 'gitstead.env')
  const stored: Record<string, string | undefined> = parseEnv(readIfThere(file))
  assertNoUnknown({ ...stored, ...env })
  const get: Get = (name) => read(name, env[name] || stored[name] || settings[name].fallback, home) as never

  const host = get('GITSTEAD_HOST')
  const port = get('GITSTEAD_PORT')
  const named = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const url = get('GITSTEAD_URL') ?? `http://${named}:${port}`
  const { hostname } = new URL(url)
  const ssh_port = get('GITSTEAD_SSH_PORT')
  const { host: sshHost = hostname, port: sshPort = ssh_port ?? 22 } = get('GITSTEAD_SSH_URL')
  return {
    home,
    processes: get('GITSTEAD_PROCESSES'),
    host,
    port,
    trusted_proxies: get('GITSTEAD_TRUSTED_PROXIES'),
    url,
    hostname,
    ssh_host: get('GITSTEAD_SSH_HOST') ?? host,
    ssh_port,
    ssh_port_asked: Boolean(env.GITSTEAD_SSH_PORT || stored.GITSTEAD_SSH_PORT),
    ssh_address: { host: sshHost, port: sshPort },
    authorized_keys: get('GITSTEAD_AUTHORIZED_KEYS'),
    database_url: get('GITSTEAD_DATABASE_URL'),
    root_password: get('GITSTEAD_ROOT_PASSWORD'),
    root_token: get('GITSTEAD_ROOT_TOKEN'),
    secret_key: get('GITSTEAD_SECRET_KEY'),
    default_branch: get('GITSTEAD_DEFAULT_BRANCH'),
    api_version: get('GITSTEAD_API_VERSION'),
    oauth_registration: get('GITSTEAD_OAUTH_REGISTRATION'),
    spam_check_url: get('GITSTEAD_SPAM_CHECK_URL'),
    limits: readLimits(get),
    s3: readS3(get),
    mail: readMail(get, hostname),
    replies: readReplies(get),
    identity_providers: readIdentityProviders(get),
    log_level: get('GITSTEAD_LOG_LEVEL'),
  }
}

/** Empty if there is no such file. Throws StartRefused if it can't be read: its settings would be ignored silently. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // A missing folder is created later; a path that is not a folder is reported there.
    if (code === 'ENOENT' || code === 'ENOTDIR') return ''
    const why = { EACCES: 'permission denied', EISDIR: 'it is a folder' }[code] ?? (error as Error).message
    throw new StartRefused(`GITSTEAD_HOME: the settings in "${file}" cannot be read: ${why}`, { cause: error })
  }
}

type Get = <N extends SettingName>(name: N) => ReturnType<(typeof settings)[N]['read']>

function read(name: SettingName, value: string, home: string): unknown {
  try {
    return (settings[name] as Setting<unknown>).read(value, home)
  } catch (error) {
    const shown = /PASSWORD|TOKEN|DATABASE|ACCESS_KEY|OIDC/.test(name) || value.includes('@') ? '' : ` (got "${value}")`
    throw new StartRefused(`${name} must be ${(error as Error).message}${shown}`)
  }
}

/** A misspelled name would otherwise be ignored silently. */
function assertNoUnknown(values: Record<string, string | undefined>): void {
  for (const name of Object.keys(values)) {
    if (name.startsWith('GITSTEAD_') && !(name in settings) && !name.startsWith('GITSTEAD_TEST_') && !name.startsWith('GITSTEAD_BENCH_')) {
      throw new StartRefused(`${name}: unknown setting; --help lists all`)
    }
  }
}

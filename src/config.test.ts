import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeSettings, readConfig } from './config.ts'
import { StartRefused } from './failure.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-config-'))
})

afterEach(() => rm(home, { recursive: true }))

const read = (env: Record<string, string> = {}) => readConfig({ GITSTEAD_HOME: home, ...env })

/** The message with which a start with these settings is refused. */
function refusal(env: Record<string, string>): string {
  try {
    read(env)
  } catch (error) {
    expect(error).toBeInstanceOf(StartRefused)
    return (error as Error).message
  }
  return 'nothing'
}

test('without any setting the service listens on this machine alone, on SQLite in the data folder', () => {
  expect(read()).toEqual({
    home,
    processes: 1,
    host: '127.0.0.1',
    port: 3000,
    url: 'http://127.0.0.1:3000',
    hostname: '127.0.0.1',
    ssh_host: '127.0.0.1',
    ssh_port: 2222,
    ssh_port_asked: false,
    trusted_proxies: ['127.0.0.0/8', '::1'],
    ssh_address: { host: '127.0.0.1', port: 2222 },
    authorized_keys: join(home, 'ssh', 'authorized_keys'),
    s3: null,
    database_url: null,
    root_password: null,
    root_token: null,
    secret_key: null,
    default_branch: 'main',
    api_version: '17.11.0',
    oauth_registration: false,
    spam_check_url: 'https://rest.akismet.com/1.1',
    limits: {
      git_memory_bytes: 1024 ** 3,
      max_refs_per_push: 50_000,
      streams: { signed_in: 500, of_user: 100, anonymous: 200, of_address: 20 },
      connections: { total: 10_000, of_address: 1_000 },
      throttle_allowlist: [],
    },
    mail: null,
    replies: null,
    identity_providers: { openid: [], ldap: null },
    log_level: 'info',
  })
})

test('every setting is taken from the environment', () => {
  const env = {
    GITSTEAD_PROCESSES: '4',
    GITSTEAD_HOST: '0.0.0.0',
    GITSTEAD_PORT: '8080',
    GITSTEAD_URL: 'https://git.example.com/forge/',
    GITSTEAD_DATABASE_URL: 'postgres://user:secret@db/gitstead',
    GITSTEAD_ROOT_PASSWORD: 'long enough'.replace(' ', '-'),
    GITSTEAD_ROOT_TOKEN: 'token-of-20-characters',
    GITSTEAD_SECRET_KEY: 'k'.repeat(32),
    GITSTEAD_DEFAULT_BRANCH: 'trunk/main',
    GITSTEAD_API_VERSION: '11.3.14',
    GITSTEAD_OAUTH_REGISTRATION: 'true',
    GITSTEAD_SPAM_CHECK_URL: 'http://spam.example.com/1.1/',
    GITSTEAD_SSH_HOST: '192.0.2.7',
    GITSTEAD_SSH_PORT: '2200',
    GITSTEAD_SSH_URL: 'ssh://git@ssh.example.com:22',
    GITSTEAD_AUTHORIZED_KEYS: '/home/git/.ssh/authorized_keys',
    GITSTEAD_S3_BUCKET: 'gitstead',
    GITSTEAD_S3_ENDPOINT: 'http://minio:9000/',
    GITSTEAD_S3_REGION: 'eu-west-1',
    GITSTEAD_S3_ACCESS_KEY_ID: 'id',
    GITSTEAD_S3_SECRET_ACCESS_KEY: 'secret',
    GITSTEAD_S3_DIRECT_DOWNLOADS: 'true',
    GITSTEAD_GIT_MEMORY: '2048',
    GITSTEAD_MAX_REFS_PER_PUSH: '1000',
    GITSTEAD_MAX_STREAMS: '50',
    GITSTEAD_MAX_STREAMS_PER_USER: '10',
    GITSTEAD_MAX_ANONYMOUS_STREAMS: '30',
    GITSTEAD_MAX_ANONYMOUS_STREAMS_PER_ADDRESS: '3',
    GITSTEAD_MAX_CONNECTIONS: '500',
    GITSTEAD_MAX_CONNECTIONS_PER_ADDRESS: '50',
    GITSTEAD_THROTTLE_ALLOWLIST: '192.0.2.1, 2001:db8::/32',
    GITSTEAD_SMTP_URL: 'smtp://git:secret@mail.example.com:587',
    GITSTEAD_MAIL_FROM: 'forge@example.com',
    GITSTEAD_IMAP_URL: 'imaps://git:secret@mail.example.com/Replies',
    GITSTEAD_REPLY_ADDRESS: 'Git+%{key}@example.com',
    GITSTEAD_OIDC_PROVIDERS: JSON.stringify([
      {
        name: 'corp',
        label: 'Corp',
        issuer: 'https://id.example.com/realms/corp',
        client_id: 'gitstead',
        client_secret: 'hidden',
        scopes: 'openid email',
        sign_up: true,
        trusts_email: true,
      },
    ]),
    GITSTEAD_LDAP_URL: 'ldaps://ldap.example.com:636/',
    GITSTEAD_LDAP_BIND_DN: 'cn=search,dc=example,dc=com',
    GITSTEAD_LDAP_BIND_PASSWORD: 'a b',
    GITSTEAD_LDAP_BASE: 'dc=example,dc=com',
    GITSTEAD_LDAP_USER_FILTER: '(uid=*)',
    GITSTEAD_LDAP_ATTRIBUTES: 'username=sAMAccountName,name=displayName,email=mail',
    GITSTEAD_LDAP_GROUP_BASE: 'ou=groups,dc=example,dc=com',
    GITSTEAD_LDAP_GROUPS: JSON.stringify([{ dn: 'cn=dev,dc=example,dc=com', group: 'corp/dev', access_level: 30 }]),
    GITSTEAD_LOG_LEVEL: 'debug',
    GITSTEAD_TRUSTED_PROXIES: '192.0.2.1, 2001:db8::/32',
  }
  expect(read(env)).toEqual({
    home,
    processes: 4,
    host: '0.0.0.0',
    port: 8080,
    url: 'https://git.example.com/forge',
    hostname: 'git.example.com',
    ssh_host: '192.0.2.7',
    ssh_port: 2200,
    ssh_port_asked: true,
    trusted_proxies: ['192.0.2.1', '2001:db8::/32'],
    ssh_address: { host: 'ssh.example.com', port: 22 },
    authorized_keys: '/home/git/.ssh/authorized_keys',
    s3: {
      bucket: 'gitstead',
      region: 'eu-west-1',
      endpoint: 'http://minio:9000',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      direct_downloads: true,
    },
    database_url: 'postgres://user:secret@db/gitstead',
    root_password: 'long-enough',
    root_token: 'token-of-20-characters',
    secret_key: 'k'.repeat(32),
    default_branch: 'trunk/main',
    api_version: '11.3.14',
    oauth_registration: true,
    spam_check_url: 'http://spam.example.com/1.1',
    limits: {
      git_memory_bytes: 2 * 1024 ** 3,
      max_refs_per_push: 1000,
      streams: { signed_in: 50, of_user: 10, anonymous: 30, of_address: 3 },
      connections: { total: 500, of_address: 50 },
      throttle_allowlist: ['192.0.2.1', '2001:db8::/32'],
    },
    mail: { smtp_url: 'smtp://git:secret@mail.example.com:587', from: 'forge@example.com' },
    replies: { imap_url: 'imaps://git:secret@mail.example.com/Replies', address: { before: 'git+', after: '@example.com' } },
    identity_providers: {
      openid: [
        {
          name: 'corp',
          label: 'Corp',
          issuer: 'https://id.example.com/realms/corp',
          client_id: 'gitstead',
          client_secret: 'hidden',
          scopes: 'openid email',
          sign_up: true,
          trusts_email: true,
        },
      ],
      ldap: {
        url: 'ldaps://ldap.example.com:636',
        start_tls: false,
        ca: null,
        bind: { dn: 'cn=search,dc=example,dc=com', password: 'a b' },
        base: 'dc=example,dc=com',
        user_filter: '(uid=*)',
        attributes: { username: 'sAMAccountName', name: 'displayName', email: 'mail' },
        groups: [{ dn: 'cn=dev,dc=example,dc=com', group: 'corp/dev', access_level: 30 }],
        group_base: 'ou=groups,dc=example,dc=com',
      },
    },
    log_level: 'debug',
  })
})

test('links lead to an address that a browser can open', () => {
  expect(read({ GITSTEAD_HOST: '0.0.0.0' }).url).toBe('http://localhost:3000')
  expect(read({ GITSTEAD_HOST: '::' }).url).toBe('http://localhost:3000')
  expect(read({ GITSTEAD_HOST: '::1', GITSTEAD_PORT: '80' }).url).toBe('http://[::1]:80')
})

test('git over SSH is reached at the host of the URL and the port it listens on, unless its own address is given', () => {
  expect(read({ GITSTEAD_URL: 'https://git.example.com', GITSTEAD_SSH_PORT: '22' }).ssh_address).toEqual({
    host: 'git.example.com',
    port: 22,
  })
  expect(read({ GITSTEAD_SSH_PORT: 'off' })).toMatchObject({ ssh_port: null, ssh_address: { port: 22 } })
  expect(read({ GITSTEAD_SSH_URL: 'ssh://ssh.example.com' })).toMatchObject({
    ssh_port: 2222,
    ssh_address: { host: 'ssh.example.com', port: 22 },
  })
})

test('the memory of git can be left without a limit, and not made too small to work', () => {
  expect(read({ GITSTEAD_GIT_MEMORY: 'off' }).limits.git_memory_bytes).toBeNull()
  expect(refusal({ GITSTEAD_GIT_MEMORY: '64' })).toBe('GITSTEAD_GIT_MEMORY must be a number from 128 to 1048576 (got "64")')
})

test('as many processes serve as are asked for, or as there are cores', () => {
  expect(read({ GITSTEAD_PROCESSES: 'auto' }).processes).toBe(Math.min(availableParallelism(), 64))
})

test('half a pair of settings is refused', () => {
  expect(refusal({ GITSTEAD_S3_BUCKET: 'files', GITSTEAD_S3_ACCESS_KEY_ID: 'id' })).toMatch(/must be set together$/)
  const mailbox = { GITSTEAD_IMAP_URL: 'imaps://git@mail.example.com', GITSTEAD_REPLY_ADDRESS: 'git+%{key}@example.com' }
  for (const name of Object.keys(mailbox)) expect(refusal({ ...mailbox, [name]: '' })).toMatch(/must be set together$/)
  for (const address of ['git@example.com', '%{key}', '%{key}%{key}@example.com', 'a-name-that-is-too-long-+%{key}@example.com'])
    expect(refusal({ ...mailbox, GITSTEAD_REPLY_ADDRESS: address })).toMatch(/must be a mail address with %\{key\} before the @/)
  for (const url of ['imap://mail.example.com', 'https://a:b@mail.example.com', 'imaps://a:b@'])
    expect(refusal({ ...mailbox, GITSTEAD_IMAP_URL: url })).toMatch(/^GITSTEAD_IMAP_URL must be an imap/)
})

test('the environment counts before the file in the data folder, and that before the defaults', async () => {
  await writeFile(join(home, 'gitstead.env'), '# comment\nGITSTEAD_PORT=4000\nGITSTEAD_HOST="localhost"\n')
  expect(read({ GITSTEAD_PORT: '5000' })).toMatchObject({ port: 5000, host: 'localhost', default_branch: 'main' })
  expect(read({ GITSTEAD_PORT: '' })).toMatchObject({ port: 4000 })
})

test('no proxy at all is trusted where that is asked for', () => {
  expect(read({ GITSTEAD_TRUSTED_PROXIES: 'none' })).toMatchObject({ trusted_proxies: [] })
})

test('an empty setting is none', () => {
  expect(read({ GITSTEAD_URL: '', GITSTEAD_DATABASE_URL: '', GITSTEAD_LOG_LEVEL: '' })).toMatchObject({
    database_url: null,
    log_level: 'info',
  })
})

test.each([
  ['GITSTEAD_PROCESSES', '0'],
  ['GITSTEAD_PROCESSES', '65'],
  ['GITSTEAD_PROCESSES', 'all'],
  ['GITSTEAD_PORT', 'http'],
  ['GITSTEAD_PORT', '-1'],
  ['GITSTEAD_PORT', '65536'],
  ['GITSTEAD_PORT', '0'],
  ['GITSTEAD_PORT', '3000.5'],
  ['GITSTEAD_TRUSTED_PROXIES', 'proxy.example.com'],
  ['GITSTEAD_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['GITSTEAD_TRUSTED_PROXIES', '0.0.0.0/0'],
  ['GITSTEAD_TRUSTED_PROXIES', '10.0.0.1,,10.0.0.2,'],
  ['GITSTEAD_HOST', 'a host'],
  ['GITSTEAD_HOST', 'http://localhost'],
  ['GITSTEAD_URL', 'git.example.com'],
  ['GITSTEAD_URL', 'ftp://git.example.com'],
  ['GITSTEAD_URL', 'https://git.example.com/?a=1'],
  ['GITSTEAD_API_VERSION', '17'],
  ['GITSTEAD_API_VERSION', '17.11.0-ee'],
  ['GITSTEAD_OAUTH_REGISTRATION', 'yes'],
  ['GITSTEAD_SPAM_CHECK_URL', 'spam.example.com'],
  ['GITSTEAD_DEFAULT_BRANCH', '-main'],
  ['GITSTEAD_DEFAULT_BRANCH', 'a..b'],
  ['GITSTEAD_DEFAULT_BRANCH', 'a b'],
  ['GITSTEAD_DEFAULT_BRANCH', 'main.lock'],
  ['GITSTEAD_DEFAULT_BRANCH', '/main'],
  ['GITSTEAD_LOG_LEVEL', 'loud'],
  ['GITSTEAD_SSH_HOST', 'a host'],
  ['GITSTEAD_SSH_PORT', 'ssh'],
  ['GITSTEAD_SSH_PORT', '0'],
  ['GITSTEAD_SSH_URL', 'git.example.com:22'],
  ['GITSTEAD_SSH_URL', 'ssh://git.example.com:99999'],
  ['GITSTEAD_SSH_URL', 'ssh://git.example.com/path'],
  ['GITSTEAD_S3_BUCKET', 'my bucket'],
  ['GITSTEAD_S3_ENDPOINT', 'minio:9000'],
  ['GITSTEAD_S3_REGION', 'eu west'],
  ['GITSTEAD_S3_DIRECT_DOWNLOADS', 'yes'],
])('%s=%s is refused in one line that names both', (name, value) => {
  const line = refusal({ [name]: value })
  expect(line).toMatch(new RegExp(`^${name} must be .* \\(got ".*"\\)$`))
  expect(line).toContain(value)
  expect(line).not.toContain('\n')
})

test.each([
  ['GITSTEAD_ROOT_PASSWORD', 'short'],
  ['GITSTEAD_ROOT_PASSWORD', 'with some spaces'],
  ['GITSTEAD_ROOT_TOKEN', 'not-quite-20-chars'],
  ['GITSTEAD_DATABASE_URL', 'mysql://user:secret@db/x'],
  ['GITSTEAD_DATABASE_URL', 'postgres://user:secret@db:port/x'],
  ['GITSTEAD_URL', 'https://user:secret@git.example.com'],
])('%s is refused without the secret in it', (name, value) => {
  const line = refusal({ [name]: value })
  expect(line).toMatch(new RegExp(`^${name} must be `))
  expect(line).not.toContain(value)
  for (const secret of [value, 'secret']) expect(line).not.toContain(secret)
})

test('a name that no setting has is refused, in the environment and in the file', async () => {
  expect(refusal({ GITSTEAD_PROT: '3000' })).toBe('GITSTEAD_PROT: unknown setting; --help lists all')
  await writeFile(join(home, 'gitstead.env'), 'GITSTEAD_HOTS=localhost\n')
  expect(refusal({})).toBe('GITSTEAD_HOTS: unknown setting; --help lists all')
})

test('the list of settings names every one with its meaning and default', () => {
  const text = describeSettings()
  expect(text.match(/^ {2}GITSTEAD_\w+ /gm)).toHaveLength(text.match(/^ {2}GITSTEAD_/gm)?.length ?? 0)
  for (const key of ['HOME', 'HOST', 'PORT', 'URL', 'DATABASE_URL', 'ROOT_PASSWORD', 'ROOT_TOKEN', 'DEFAULT_BRANCH', 'LOG_LEVEL']) {
    expect(text).toMatch(new RegExp(`^ {2}GITSTEAD_${key} +\\S.{10,}$`, 'm'))
  }
  expect(text).toMatch(/GITSTEAD_PORT .*\(default 3000\)/)
})

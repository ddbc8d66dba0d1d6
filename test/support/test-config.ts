/** The configuration of a forge for tests. */
import { join } from 'node:path'
import type { Config } from '../../src/config.ts'
import type { LimitConfig } from '../../src/limits/settings.ts'
import type { FreshDatabase } from './database.ts'

export const defaultLimits: LimitConfig = {
  git_memory_bytes: 1024 ** 3,
  max_refs_per_push: 50_000,
  streams: { signed_in: 500, of_user: 100, anonymous: 200, of_address: 20 },
  connections: { total: 10_000, of_address: 1_000 },
  throttle_allowlist: [],
}

export function configAt(home: string, database: FreshDatabase): Config {
  return {
    home,
    processes: 1,
    host: '127.0.0.1',
    port: 0,
    trusted_proxies: ['127.0.0.0/8', '::1'],
    url: 'http://gitstead.test',
    hostname: 'gitstead.test',
    ssh_host: '127.0.0.1',
    ssh_port: null,
    ssh_port_asked: false,
    ssh_address: { host: 'gitstead.test', port: 22 },
    authorized_keys: join(home, 'ssh', 'authorized_keys'),
    s3: null,
    database_url: database.url,
    root_password: 'root-password',
    secret_key: null,
    root_token: 'root-token-0123456789',
    default_branch: 'main',
    // Replies don't depend on it, so each engine has one of those with which clients are tested (`clients/client-test.ts`).
    api_version: database.url ? '11.3.14' : '17.11.0',
    oauth_registration: false,
    spam_check_url: 'http://spam-check.invalid',
    limits: defaultLimits,
    mail: null,
    replies: null,
    identity_providers: { openid: [], ldap: null },
    log_level: 'silent',
  }
}

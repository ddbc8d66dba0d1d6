/** An LDAP directory for tests: Debian's slapd in a temporary folder, with people and groups below `dc=example,dc=com`. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'ldapts'
import type { LdapConfig } from '../../../src/outgoing/identity-providers/ldap-settings.ts'
import { freePort } from '../free-port.ts'
import { atEndOfFile } from '../run/cleanup.ts'

const program = '/usr/sbin/slapd'
/** For `test.skipIf`. */
export const hasNoSlapd = !existsSync(program)

export const suffix = 'dc=example,dc=com'
const [admin, searcher] = [`cn=admin,${suffix}`, `cn=search,${suffix}`]
const [adminPassword, searchPassword] = ['admin-password', 'search password']

export interface TestDirectory {
  config: LdapConfig
  /** With TLS from the first byte. */
  secure_url: string
  /** Changes the directory as its administrator. */
  change: <T>(work: (client: Client) => Promise<T>) => Promise<T>
  addPerson: (uid: string, password: string, attributes?: Record<string, string | string[]>) => Promise<string>
  stop: () => Promise<void>
}

export async function openDirectory(): Promise<TestDirectory> {
  const home = await mkdtemp(join(tmpdir(), 'gitstead-slapd-'))
  await mkdir(join(home, 'data'))
  const certificate = writeCertificate(home)
  await writeFile(join(home, 'slapd.conf'), configuration(home))
  const [port, securePort] = [await freePort(), await freePort()]
  const addresses = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${securePort}/`
  const server = spawn(program, ['-d', '0', '-f', join(home, 'slapd.conf'), '-h', addresses], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const stop = async () => {
    server.kill()
    await ended
  }
  atEndOfFile(async () => {
    await stop()
    await rm(home, { recursive: true })
  })
  await listening(port)
  const config: LdapConfig = {
    url: `ldap://127.0.0.1:${port}`,
    start_tls: false,
    ca: await readFile(certificate, 'utf8'),
    bind: { dn: searcher, password: searchPassword },
    base: `ou=people,${suffix}`,
    user_filter: '(&(objectClass=inetOrgPerson)(!(employeeType=disabled)))',
    attributes: { username: 'uid', name: 'cn', email: 'mail' },
    groups: [],
    group_base: `ou=groups,${suffix}`,
  }
  const change: TestDirectory['change'] = async (work) => {
    const client = new Client({ url: config.url })
    try {
      await client.bind(admin, adminPassword)
      return await work(client)
    } finally {
      await client.unbind()
    }
  }
  await change(async (client) => {
    await client.add(suffix, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' })
    for (const ou of ['people', 'groups']) await client.add(`ou=${ou},${suffix}`, { objectClass: 'organizationalUnit', ou })
    await client.add(searcher, { objectClass: ['organizationalRole', 'simpleSecurityObject'], userPassword: searchPassword })
  })
  const addPerson: TestDirectory['addPerson'] = async (uid, password, attributes = {}) => {
    const dn = `uid=${uid},ou=people,${suffix}`
    const person = { cn: `Name of ${uid}`, sn: uid, mail: `${uid}@example.com`, userPassword: password, ...attributes }
    await change((client) => client.add(dn, { objectClass: 'inetOrgPerson', uid, ...person }))
    return dn
  }
  return { config, secure_url: `ldaps://127.0.0.1:${securePort}`, change, addPerson, stop }
}

function configuration(home: string): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
pidfile ${home}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${home}/cert.pem
TLSCertificateKeyFile ${home}/key.pem
database mdb
maxsize 16777216
suffix "${suffix}"
rootdn "${admin}"
rootpw ${adminPassword}
directory ${home}/data
dbnosync
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${searcher}" read by * none
`
}

/** For 127.0.0.1, self-signed. */
function writeCertificate(home: string): string {
  const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=directory']
  execFileSync('openssl', ['req', '-x509', ...kind, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return cert
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await wait(20)
  }
  throw new Error('slapd does not listen')
}

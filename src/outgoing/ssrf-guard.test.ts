/** Which addresses users may have requests sent to: however they are spelt, whatever a name server says. */
import { expect, test } from 'vitest'
import { pinTarget, type Resolve, readTarget } from './ssrf-guard.ts'

/** Every name leads to these addresses. */
const leadsTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses

async function refusalOf(url: string, resolve: Resolve = leadsTo('93.184.215.14'), own: string[] = []): Promise<string | null> {
  try {
    await pinTarget(readTarget(url, { local: false, own }), { local: false, resolve, own })
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const inside = 'Requests to the local network are not allowed'

test.each([
  ['loopback', 'http://127.0.0.1/x.git'],
  ['loopback, another of the sixteen million', 'http://127.255.0.7/'],
  ['short', 'http://127.1/'],
  ['shorter', 'http://0/'],
  ['decimal', 'http://2130706433/'],
  ['hexadecimal', 'http://0x7f000001/'],
  ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1/'],
  ['octal', 'http://0177.0.0.1/'],
  ['octal with zeros', 'http://00000177.0.0.1/'],
  ['octal number', 'http://017700000001/'],
  ['mixed', 'http://0x7f.1/'],
  ['a dot at the end', 'http://127.0.0.1./'],
  ['full width digits', 'http://１２７.0.0.1/'],
  ['circled digits', 'http://①②⑦.⓪.⓪.①/'],
  ['ideographic dots', 'http://127。0。0。1/'],
  ['percent signs', 'http://%31%32%37.0.0.1/'],
  ['userinfo that looks like a host', 'http://example.com@127.0.0.1/'],
  ['userinfo with a password', 'http://example.com:80@127.0.0.1:8080/'],
  ['one slash', 'http:/127.0.0.1/'],
  ['no slash', 'http:127.0.0.1'],
  ['upper case scheme', 'HTTP://127.0.0.1/'],
  ['spaces around', '  http://127.0.0.1/ '],
  ['unspecified', 'http://0.0.0.0/'],
  ['this network', 'http://0.1.2.3/'],
  ['private, 10', 'http://10.0.0.1/'],
  ['private, 172.16', 'http://172.16.0.1/'],
  ['private, 172.31', 'http://172.31.255.255/'],
  ['private, 192.168', 'http://192.168.1.1/'],
  ['link local', 'http://169.254.1.1/'],
  ['what clouds tell their machines', 'http://169.254.169.254/latest/meta-data/'],
  ['the same, decimal', 'http://2852039166/'],
  ['behind the NAT of a carrier', 'http://100.64.0.1/'],
  ['protocol assignments', 'http://192.0.0.192/'],
  ['documentation', 'http://192.0.2.1/'],
  ['benchmarks', 'http://198.18.0.1/'],
  ['multicast', 'http://224.0.0.1/'],
  ['reserved', 'http://240.0.0.1/'],
  ['broadcast', 'http://255.255.255.255/'],
  ['IPv6 loopback', 'http://[::1]/'],
  ['IPv6 loopback, long', 'http://[0000:0000:0000:0000:0000:0000:0000:0001]/'],
  ['IPv6 unspecified', 'http://[::]/'],
  ['IPv4 in IPv6', 'http://[::ffff:127.0.0.1]/'],
  ['IPv4 in IPv6, hexadecimal', 'http://[::ffff:7f00:1]/'],
  ['IPv4 in IPv6, private', 'http://[::ffff:10.0.0.1]/'],
  ['IPv4 compatible', 'http://[::127.0.0.1]/'],
  ['IPv4 translated', 'http://[::ffff:0:127.0.0.1]/'],
  ['NAT64', 'http://[64:ff9b::127.0.0.1]/'],
  ['NAT64, private', 'http://[64:ff9b::a00:1]/'],
  ['NAT64 of a network of its own', 'http://[64:ff9b:1::1]/'],
  ['6to4', 'http://[2002:7f00:1::]/'],
  ['6to4, private', 'http://[2002:c0a8:101::1]/'],
  ['Teredo', 'http://[2001:0:1::1]/'],
  ['IPv6 link local', 'http://[fe80::1]/'],
  ['IPv6 site local', 'http://[fec0::1]/'],
  ['IPv6 unique local', 'http://[fd00::1]/'],
  ['what a cloud tells by IPv6', 'http://[fd00:ec2::254]/'],
  ['IPv6 multicast', 'http://[ff02::1]/'],
  ['IPv6 documentation', 'http://[2001:db8::1]/'],
  ['IPv6 discard', 'http://[100::1]/'],
  ['IPv6 nobody has', 'http://[4000::1]/'],
])('an address of this machine or its network is refused: %s', async (_, url) => {
  expect(await refusalOf(url)).toBe(inside)
})

test.each([
  ['localhost', 'http://localhost/'],
  ['a dot at its end', 'http://localhost./'],
  ['upper case', 'http://LOCALHOST:3000/'],
  ['full width', 'http://ｌocalhost/'],
  ['below it', 'http://anything.localhost/'],
])('this machine by its name is refused: %s', async (_, url) => {
  expect(await refusalOf(url)).toBe('Requests to localhost are not allowed')
})

test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fe80::1', '::ffff:192.168.0.1', '64:ff9b::7f00:1', '2002:a00:1::'])(
  'a name that leads to %s is refused, also when it leads to a public address as well',
  async (address) => {
    expect(await refusalOf('https://innocent.example/', leadsTo(address))).toBe(inside)
    expect(await refusalOf('https://innocent.example/', leadsTo('93.184.215.14', address))).toBe(inside)
  },
)

test.each([
  ['http://93.184.215.14/x.git', 'http://93.184.215.14/x.git'],
  ['http://0x5db8d70e/', 'http://93.184.215.14/'],
  ['http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', 'http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/'],
  ['http://[::ffff:93.184.215.14]/', 'http://[::ffff:5db8:d70e]/'],
  ['http://[64:ff9b::5db8:d70e]/', 'http://[64:ff9b::5db8:d70e]/'],
  ['https://EXAMPLE.com./x.git#part', 'https://example.com/x.git'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
])('a public address passes, in its one spelling: %s', async (url, normal) => {
  const target = readTarget(url, { local: false })
  expect(target.url).toBe(normal)
  expect((await pinTarget(target, { local: false, resolve: leadsTo('93.184.215.14') })).addresses).toHaveLength(1)
})

test.each([
  ['nothing', '', 'URI is invalid'],
  ['words', 'my repository', 'URI is invalid'],
  ['no host', 'http://', 'URI is invalid'],
  ['a line break', 'http://exam\nple.com/', 'URI is invalid'],
  ['a backslash', 'http://example.com\\@127.0.0.1/', 'URI is invalid'],
  ['a NUL', 'http://example.com/\0', 'URI is invalid'],
  ['a zone', 'http://[fe80::1%25eth0]/', 'URI is invalid'],
  ['an octet too large', 'http://256.0.0.1/', 'URI is invalid'],
  ['a broken escape in the password', 'http://a:%zz@example.com/', 'URI is invalid'],
  ['far too long', `http://example.com/${'x'.repeat(2_048)}`, 'URI is invalid'],
  ['two dots at the end', 'http://localhost../', 'Hostname or IP address invalid'],
  ['a name that begins with a dash', 'http://-oProxyCommand.example/', 'Hostname or IP address invalid'],
  ['a file', 'file:///etc/passwd', 'Only allowed protocols are http, https'],
  ['a command', 'ext::sh -c id', 'URI is invalid'],
  ['a command without spaces', 'ext::id', 'Only allowed protocols are http, https'],
  ['ssh', 'ssh://git@example.com/x.git', 'Only allowed protocols are http, https'],
  ['git', 'git://example.com/x.git', 'Only allowed protocols are http, https'],
  ['gopher', 'gopher://example.com/', 'Only allowed protocols are http, https'],
  ['a path', '/srv/git/x.git', 'URI is invalid'],
  ['an option', '--upload-pack=id', 'URI is invalid'],
])('what is no address for requests is refused: %s', async (_, url, said) => {
  expect(await refusalOf(url)).toBe(said)
})

test('an administrator may allow the local network, and nothing else with it', async () => {
  const rules = { local: true, resolve: leadsTo('127.0.0.1') }
  expect((await pinTarget(readTarget('http://localhost:3000/x.git', rules), rules)).addresses).toEqual(['127.0.0.1'])
  expect(readTarget('http://[::1]:3000/', rules)).toMatchObject({ host: '::1', port: 3000 })
  expect(() => readTarget('file:///etc/passwd', rules)).toThrow('Only allowed protocols are http, https')
})

test('ports that belong to a machine are refused where a list of them is given', () => {
  const rules = { local: false, ports: [80, 443] }
  expect(() => readTarget('http://example.com:25/', rules)).toThrow('Only allowed ports are 80, 443, and any over 1024')
  expect(readTarget('http://example.com:8080/', rules).port).toBe(8080)
  expect(readTarget('https://example.com/', rules).port).toBe(443)
})

test('credentials are taken out of the address', () => {
  const target = readTarget('https://ada:p%40ss%3Aword@example.com/x.git?a=b', { local: false })
  expect(target).toEqual({
    url: 'https://example.com/x.git?a=b',
    host: 'example.com',
    port: 443,
    credentials: { username: 'ada', password: 'p@ss:word' },
  })
})

test('a name is looked up once, and what it led to is given with it', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const pinned = await pinTarget(readTarget('http://rebinding.example/', { local: false }), {
    local: false,
    resolve: async () => answers.shift() ?? [],
  })
  expect([pinned.addresses, answers.length]).toEqual([['93.184.215.14'], 1])
})

test('a name that leads nowhere is not found', async () => {
  expect(await refusalOf('http://nowhere.example/', leadsTo())).toBe('The host nowhere.example could not be found')
})

test('ssh:// is read where it is allowed, its host as carefully as any', () => {
  const rules = { local: false, ssh: true, ports: [22, 80, 443] }
  expect(readTarget('ssh://git@Example.com/a:80/b.git', rules)).toMatchObject({
    host: 'example.com',
    port: 22,
    url: 'ssh://example.com/a:80/b.git',
  })
  expect([443, 80, 2222].map((port) => readTarget(`ssh://example.com:${port}/x`, rules).port)).toEqual([443, 80, 2222])
  for (const host of ['0x7f.1', '2130706433', '[::1]', 'localhost'])
    expect(() => readTarget(`ssh://${host}/x`, rules)).toThrow('not allowed')
  expect(() => readTarget('ssh://example.com/x', { local: true })).toThrow('Only allowed protocols are http, https')
  expect(() => readTarget('ssh://example.com:25/x', rules)).toThrow('Only allowed ports')
})

test('public addresses of this machine are refused as its private ones, in any notation', async () => {
  const own = ['93.184.215.20', '2606:2800:21f:cb07::20', 'fe80::1%eth0']
  const unknown = leadsTo('93.184.215.14')
  for (const url of [
    'http://93.184.215.20/',
    'http://1572394772/',
    'http://[::ffff:93.184.215.20]/',
    'http://[2606:2800:21f:cb07:0:0:0:20]/',
  ])
    expect([url, await refusalOf(url, unknown, own)]).toEqual([url, inside])
  for (const address of ['93.184.215.20', '2606:2800:21f:cb07::20', '64:ff9b::93.184.215.20'])
    expect([address, await refusalOf('http://example.com/', leadsTo('93.184.215.14', address), own)]).toEqual([address, inside])
  expect(await refusalOf('http://93.184.215.21/', unknown, own)).toBe(null)
})

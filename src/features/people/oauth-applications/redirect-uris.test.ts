/** Redirect URIs: which ones may be registered, and which ones count as registered. */
import { expect, test } from 'vitest'
import { isRegistered, redirectUriError } from './redirect-uris.ts'

test.each([
  'https://app.example/callback',
  'https://app.example',
  'https://app.example/callback?from=gitstead',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:8080/callback',
  'http://[::1]/',
  'http://localhost/callback',
  'com.example.app:/callback',
  'vscode://vendor.extension/callback',
])('%s may be registered', (uri) => {
  expect(redirectUriError(uri)).toBeNull()
})

test.each([
  '',
  '/callback',
  'callback',
  'http://app.example/callback',
  'http://127.0.0.1.example/callback',
  'http://localhost.example/',
  'http://localhost@app.example/',
  'https://app.example/callback#',
  'https://app.example/callback#part',
  'https://user:password@app.example/',
  'https://app.example/call back',
  'https://app.example/\ncallback',
  'javascript:alert(1)',
  'data:text/html,hello',
  'file:///etc/passwd',
  'blob:https://app.example/1',
])('%j may not be registered', (uri) => {
  expect(redirectUriError(uri)).not.toBeNull()
})

test('a URI is registered only if it is exactly the same', () => {
  const registered = ['https://app.example/callback', 'com.example.app:/callback']
  for (const uri of registered) expect(isRegistered(registered, uri)).toBe(true)
  const others = [
    'https://app.example/callback/',
    'https://app.example/Callback',
    'https://app.example/callback?x=1',
    'https://app.example/callback#x',
    'https://app.example/callback/../callback',
    'https://app.example:443/callback',
    'https://APP.example/callback',
    'http://app.example/callback',
    'https://app.example.evil.example/callback',
    'https://app.example@evil.example/callback',
    'com.example.app:/callback2',
    'com.example.app://callback',
    '',
  ]
  expect(others.filter((uri) => isRegistered(registered, uri))).toEqual([])
})

test('a program on a device may use any port of its loopback address, and no other address', () => {
  const registered = ['http://127.0.0.1/callback', 'https://app.example/callback']
  for (const uri of ['http://127.0.0.1:49152/callback', 'http://127.0.0.1/callback']) expect(isRegistered(registered, uri)).toBe(true)
  const others = [
    'http://127.0.0.1:49152/other',
    'http://127.0.0.1:49152/callback#x',
    'http://127.0.0.1:49152@evil.example/callback',
    'http://127.0.0.1:49152.evil.example/callback',
    'http://[::1]:49152/callback',
    'http://localhost:49152/callback',
    'https://127.0.0.1:49152/callback',
    'https://app.example:8443/callback',
  ]
  expect(others.filter((uri) => isRegistered(registered, uri))).toEqual([])
})

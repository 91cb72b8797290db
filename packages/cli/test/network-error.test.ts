import { expect, it } from 'vitest'
import { explainNetworkError } from '../src/http/network-error.js'

const own = 'for a certificate of your own, set NODE_EXTRA_CA_CERTS=ca.pem'

/** Most of these need a network with this fault. `check` and `send` print the text after the code of Node. */
it.each([
  ['ECONNREFUSED', 'nothing listens at example.com:8443; start the receiver or correct the port'],
  ['ENOTFOUND', 'the name example.com does not exist; correct the URL'],
  ['EAI_AGAIN', 'the name example.com could not be looked up; check the network'],
  ['EHOSTUNREACH', 'no route leads to example.com; check the network'],
  ['ENETUNREACH', 'no route leads to example.com; check the network'],
  ['ETIMEDOUT', 'example.com:8443 did not accept the connection; check a firewall'],
  ['ECONNRESET', 'the connection was closed without a response'],
  ['EPIPE', 'the connection was closed without a response'],
  ['EPROTO', 'TLS with example.com:8443 failed; does this port speak plain http?'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'example.com:8443 does not speak TLS; does this port speak plain http?'],
  ['ERR_SSL_OTHER', 'TLS with example.com:8443 failed (ERR_SSL_OTHER); check the protocol and the port'],
  ['OTHER_ERR_SSL', 'the request to example.com:8443 failed (OTHER_ERR_SSL)'],
  ['CERT_HAS_EXPIRED', 'the certificate of example.com:8443 has expired; renew it'],
  ['CERT_NOT_YET_VALID', 'the certificate of example.com:8443 is not valid yet; check the clocks'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', `the certificate of example.com:8443 is self-signed; ${own}`],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    `the certificate of example.com:8443 comes from an unknown authority; ${own}`,
  ],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'the certificate of example.com:8443 cannot be verified; serve the intermediate certificates, too',
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is not for example.com; get one for this name'],
  ['CERT_REVOKED', `the certificate of example.com:8443 is not trusted (CERT_REVOKED); ${own}`],
  ['HPE_HEADER_OVERFLOW', 'the headers of the response of example.com:8443 are larger than 16 KiB'],
  [
    'HPE_INVALID_CONSTANT',
    'the response of example.com:8443 is not HTTP (HPE_INVALID_CONSTANT); check the port',
  ],
  ['OTHER_HPE_', 'the request to example.com:8443 failed (OTHER_HPE_)'],
  ['EOTHER', 'the request to example.com:8443 failed (EOTHER)'],
])('%s is explained', (code, text) => {
  expect(explainNetworkError(code, new URL('https://example.com:8443/webhooks'))).toBe(text)
})

/** Says in plain words why a request got no response, and what to do. The text of the error itself may hold anything. */
export function explainNetworkError(code: string, url: URL): string {
  const known = explanations[code]
  if (known) {
    return known(url)
  }
  if (code.startsWith('HPE_')) {
    return `the response of ${url.host} is not HTTP (${code}); check the port`
  }
  if (code.includes('CERT')) {
    return `the certificate of ${url.host} is not trusted (${code}); ${ownCertificates}`
  }
  if (code.startsWith('ERR_SSL')) {
    return `TLS with ${url.host} failed (${code}); check the protocol and the port`
  }
  return `the request to ${url.host} failed (${code})`
}

const ownCertificates = 'for a certificate of your own, set NODE_EXTRA_CA_CERTS=ca.pem'

const explanations: Readonly<Record<string, (url: URL) => string>> = {
  ECONNREFUSED: (url) => `nothing listens at ${url.host}; start the receiver or correct the port`,
  ENOTFOUND: (url) => `the name ${url.hostname} does not exist; correct the URL`,
  EAI_AGAIN: (url) => `the name ${url.hostname} could not be looked up; check the network`,
  EHOSTUNREACH: (url) => `no route leads to ${url.hostname}; check the network`,
  ENETUNREACH: (url) => `no route leads to ${url.hostname}; check the network`,
  ETIMEDOUT: (url) => `${url.host} did not accept the connection; check a firewall`,
  ECONNRESET: () => 'the connection was closed without a response',
  EPIPE: () => 'the connection was closed without a response',
  EPROTO: (url) => `TLS with ${url.host} failed; does this port speak plain http?`,
  ERR_SSL_WRONG_VERSION_NUMBER: (url) => `${url.host} does not speak TLS; does this port speak plain http?`,
  CERT_HAS_EXPIRED: (url) => `the certificate of ${url.host} has expired; renew it`,
  CERT_NOT_YET_VALID: (url) => `the certificate of ${url.host} is not valid yet; check the clocks`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (url) => `the certificate of ${url.host} is self-signed; ${ownCertificates}`,
  SELF_SIGNED_CERT_IN_CHAIN: (url) =>
    `the certificate of ${url.host} comes from an unknown authority; ${ownCertificates}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (url) =>
    `the certificate of ${url.host} cannot be verified; serve the intermediate certificates, too`,
  ERR_TLS_CERT_ALTNAME_INVALID: (url) => `the certificate is not for ${url.hostname}; get one for this name`,
  HPE_HEADER_OVERFLOW: (url) => `the headers of the response of ${url.host} are larger than 16 KiB`,
}

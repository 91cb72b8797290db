import type { ALBEvent, ALBResult, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Caller, Incoming } from './lambda-gateway.js'

/** The last value of each name. */
const single = (entries: Incoming['headers']): Record<string, string> => Object.fromEntries(entries)

function multiple(entries: Incoming['headers']): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const [name, value] of entries) {
    values[name] = [...(values[name] ?? []), value]
  }
  return values
}

const lowerCase = (entries: Incoming['headers']) =>
  entries.map(([name, value]) => [name.toLowerCase(), value] as const)

const decoded = (query: string) => [...new URLSearchParams(query)]
const undecoded = (query: string) =>
  query.split('&').flatMap((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return name ? [[name, value] as const] : []
  })

/** API Gateway, REST API, and HTTP API with payload 1.0. */
export const restApi: Caller = {
  name: 'REST API (payload 1.0)',
  toEvent({ method, path, query, headers, body, isBase64Encoded }): APIGatewayProxyEvent {
    const parameters = decoded(query)
    return {
      resource: '/{proxy+}',
      path,
      httpMethod: method,
      headers: single(headers),
      multiValueHeaders: multiple(headers),
      queryStringParameters: query ? single(parameters) : null,
      multiValueQueryStringParameters: query ? multiple(parameters) : null,
      pathParameters: { proxy: path.slice(1) },
      stageVariables: null,
      requestContext: {
        resourceId: '2gxmpl',
        resourcePath: '/{proxy+}',
        httpMethod: method,
        extendedRequestId: 'JJbxmplHYosFVYQ=',
        requestTime: '10/Mar/2020:00:03:59 +0000',
        path: `/prod${path}`,
        accountId: '123456789012',
        protocol: 'HTTP/1.1',
        stage: 'prod',
        domainPrefix: '70ixmpl4fl',
        requestTimeEpoch: 1583798639428,
        requestId: '77375676-xmpl-4b79-853a-f982474efe18',
        identity: {
          accessKey: null,
          accountId: null,
          apiKey: null,
          apiKeyId: null,
          caller: null,
          clientCert: null,
          cognitoAuthenticationProvider: null,
          cognitoAuthenticationType: null,
          cognitoIdentityId: null,
          cognitoIdentityPoolId: null,
          principalOrgId: null,
          sourceIp: '192.0.2.1',
          user: null,
          userAgent: null,
          userArn: null,
        },
        domainName: '70ixmpl4fl.execute-api.us-east-2.amazonaws.com',
        apiId: '70ixmpl4fl',
        authorizer: null,
      },
      body,
      isBase64Encoded,
    }
  },
  toAnswer: (answer) => {
    onlyKeys(answer, ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'])
    return checked(answer, answer.headers)
  },
}

const payload2 = (name: string, routeKey: string): Caller => ({
  name,
  toEvent({ method, path, query, headers, body, isBase64Encoded }): APIGatewayProxyEventV2 {
    return {
      version: '2.0',
      routeKey,
      rawPath: path,
      rawQueryString: query,
      headers: joined(lowerCase(headers)),
      ...(query && { queryStringParameters: joined(decoded(query)) }),
      requestContext: {
        accountId: '123456789012',
        apiId: 'api-id',
        domainName: 'id.execute-api.us-east-1.amazonaws.com',
        domainPrefix: 'id',
        http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'agent' },
        requestId: 'id',
        routeKey,
        stage: '$default',
        time: '12/Mar/2020:19:03:58 +0000',
        timeEpoch: 1583348638390,
      },
      ...(body !== null && { body }),
      isBase64Encoded,
    }
  },
  toAnswer: (answer) => {
    onlyKeys(answer, ['statusCode', 'headers', 'body', 'isBase64Encoded', 'cookies'])
    return checked(answer, answer.headers)
  },
})

/** API Gateway, HTTP API with payload 2.0: repeated headers are joined with commas. */
export const httpApi = payload2('HTTP API (payload 2.0)', 'POST /webhooks')
export const functionUrl = payload2('Function URL', '$default')

function joined(entries: Incoming['headers']): Record<string, string> {
  const values = Object.entries(multiple(entries))
  return Object.fromEntries(values.map(([name, list]) => [name, list.join(',')]))
}

const loadBalancer = (name: string, isMultiple: boolean): Caller => ({
  name,
  toEvent({ method, path, query, headers, body, isBase64Encoded }): ALBEvent {
    const parameters = undecoded(query)
    const values = isMultiple
      ? {
          multiValueHeaders: multiple(lowerCase(headers)),
          multiValueQueryStringParameters: multiple(parameters),
        }
      : { headers: single(lowerCase(headers)), queryStringParameters: single(parameters) }
    return {
      requestContext: {
        elb: {
          targetGroupArn:
            'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/my-target-group/6d0ecf831eec9f09',
        },
      },
      httpMethod: method,
      path,
      ...values,
      body: body ?? '',
      isBase64Encoded,
    }
  },
  toAnswer: (answer) => {
    const ofThisMode = isMultiple ? 'multiValueHeaders' : 'headers'
    onlyKeys(answer, ['statusCode', 'statusDescription', 'body', 'isBase64Encoded', ofThisMode])
    if (!/^[1-5]\d\d [A-Z][A-Za-z ]+$/.test(answer.statusDescription ?? '')) {
      throw new Error('statusDescription')
    }
    const lists = Object.entries(answer.multiValueHeaders ?? {})
    const headers = lists.map(([name, list]) => {
      if (!Array.isArray(list) || list.length !== 1) {
        throw new Error(`multiValueHeaders.${name}`)
      }
      return [name, list[0] as string] as const
    })
    return checked(answer, isMultiple ? Object.fromEntries(headers) : answer.headers)
  },
})

/** Application Load Balancer with its defaults: the function gets the last value of a repeated header. */
export const balancer = loadBalancer('load balancer, single value headers', false)
export const balancerWithLists = loadBalancer('load balancer, multi value headers', true)

/** VPC Lattice, events of version 2: every header and parameter is a list. */
export const lattice: Caller = {
  name: 'VPC Lattice (event 2.0)',
  toEvent: ({ method, path, query, headers, body, isBase64Encoded }) => ({
    version: '2.0',
    path,
    method,
    headers: multiple(lowerCase(headers)),
    queryStringParameters: multiple(decoded(query)),
    ...(body !== null && { body }),
    isBase64Encoded,
    requestContext: {
      serviceNetworkArn: 'arn:aws:vpc-lattice:us-east-2:123456789012:servicenetwork/sn-0bf3f2882e9cc805a',
      serviceArn: 'arn:aws:vpc-lattice:us-east-2:123456789012:service/svc-0a40eebed65f8d69c',
      region: 'us-east-2',
      timeEpoch: '1696331543569073',
    },
  }),
  toAnswer: (answer) => {
    onlyKeys(answer, ['statusCode', 'statusDescription', 'headers', 'body', 'isBase64Encoded'])
    return checked(answer, answer.headers)
  },
}

/** VPC Lattice, events of version 1: the query stays in the path, and repeated headers are joined with commas. */
export const latticeOne: Caller = {
  name: 'VPC Lattice (event 1.0)',
  toEvent: ({ method, path, query, headers, body, isBase64Encoded }) => ({
    raw_path: query ? `${path}?${query}` : path,
    method,
    headers: joined(lowerCase(headers)),
    query_string_parameters: single(decoded(query)),
    ...(body !== null && { body }),
    is_base64_encoded: isBase64Encoded,
  }),
  toAnswer: lattice.toAnswer,
}

function onlyKeys(answer: object, known: readonly string[]): void {
  const unknown = Object.keys(answer).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    throw new Error(`malformed answer of the function: ${unknown.join(', ')}`)
  }
}

function checked({ statusCode, body, isBase64Encoded }: ALBResult, headers: ALBResult['headers']) {
  if (!Number.isInteger(statusCode)) {
    throw new Error('statusCode must be a whole number')
  }
  if (typeof body !== 'string') {
    throw new Error('body must be a string')
  }
  if (isBase64Encoded !== false) {
    throw new Error('isBase64Encoded must be false for text')
  }
  for (const value of Object.values(headers ?? {})) {
    if (typeof value !== 'string') {
      throw new Error('a header must be a string')
    }
  }
  return { status: statusCode, headers: (headers ?? {}) as Record<string, string>, body }
}

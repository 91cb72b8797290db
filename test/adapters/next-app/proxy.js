import { NextResponse } from 'next/server'

// Where a proxy stands before a route, Next reads the body itself and hands a copy on.
export const proxy = (request) => {
  const url = request.nextUrl.clone()
  url.pathname = url.pathname.replace(/^\/proxied/, '')
  return NextResponse.rewrite(url)
}

export const config = { matcher: '/proxied/:path*' }

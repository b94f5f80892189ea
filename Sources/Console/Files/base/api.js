// The client of the HTTP interface: its requests contain the session's cookie. Answers become values, and refusals are
// thrown as problems.

import { keepSkew } from './words.js';

const root = new URL('../api/v1/', document.baseURI);

/** The reason why a request failed; `status` is 0 if the service couldn't be reached. */
export class Problem extends Error {
  constructor(status, details = {}) {
    super(details.detail ?? details.title ?? '');
    this.status = status;
    this.code = details.code;
    this.title = details.title;
    this.detail = details.detail;
    this.field = details.field;
    this.retryAfter = details.retryAfter;
  }
}

/** Returns a resource's address from the parts of its path and a query, whose empty members are left out. */
export function address(parts, query = {}) {
  const url = new URL(parts.map(part => encodeURIComponent(part)).join('/'), root);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.append(name, value);
  }
  return url;
}

/** Reads a resource. */
export const get = (parts, query, signal) => ask('GET', parts, { query, signal });
/** Posts to a resource; the body is an object or absent. */
export const post = (parts, body = {}, query) => ask('POST', parts, { body, query });
/** Replaces a resource; if `version` is given, the service refuses to replace any other version. */
export const put = (parts, body, version, query) => ask('PUT', parts, { body, version, query });
/** Changes some members of a resource. */
export const change = (parts, body) => ask('PATCH', parts, { body });
/** Removes a resource. */
export const remove = (parts, body = {}) => ask('DELETE', parts, { body });

async function ask(method, parts, { query, body, signal, version } = {}) {
  const headers = { Accept: 'application/json' };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
    headers['X-Lamplighter'] = 'console';
  }
  if (version !== undefined) headers['If-Match'] = String(version);
  let answer;
  try {
    answer = await fetch(address(parts, query), {
      method, headers, signal, credentials: 'same-origin', keepalive: method === 'DELETE', body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0);
  }
  // The header `Date` names the second in which the service answered. The end of this second is used as the service's
  // time. If its beginning were used, a report that was just stored could seem to be in the future.
  keepSkew(Date.parse(answer.headers.get('Date')) + 999 - Date.now());
  if (answer.status === 401 && parts[0] !== 'session') dispatchEvent(new Event('signedout'));
  const isJSON = /json/.test(answer.headers.get('Content-Type') ?? '');
  const data = isJSON ? await answer.json() : undefined;
  if (!answer.ok) throw new Problem(answer.status, data);
  return data;
}

import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Which addresses a webhook may be sent to (X17). Refused are all that lead inside: to this machine, to the
 * network around it, and to the services that clouds keep on link-local addresses.
 */

/** Never, also where private addresses are allowed: nobody's receiver is there, and secrets are. */
const NEVER = blockList(
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  // Azure's own services.
  ['168.63.129.16', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  // AWS's, in IPv6.
  ['fd00:ec2::', 32],
);

/** Not reachable from everywhere (the special-purpose registries of RFC 6890). */
const PRIVATE = blockList(
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: the IPv4 address within may be any.
  ['2002::', 16],
  ['3fff::', 20],
);
/** The only part of IPv6 from which public addresses are given. */
const GLOBAL_IPV6 = blockList(['2000::', 3]);

export function mayBeDialled(address: string, allowPrivate: boolean): boolean {
  if (isIP(address) === 0) return false;
  const ipv4 = isIPv4(address) ? address : embeddedIPv4(address);
  const [plain, family] = ipv4 === undefined ? [address, 'ipv6' as const] : [ipv4, 'ipv4' as const];
  if (NEVER.check(plain, family)) return false;
  if (allowPrivate) return true;
  return !PRIVATE.check(plain, family) && (family === 'ipv4' || GLOBAL_IPV6.check(plain, family));
}

/** `::ffff:a.b.c.d`, and `64:ff9b::a.b.c.d` of networks that have IPv6 only: the IPv4 address is what is reached. */
function embeddedIPv4(address: string): string | undefined {
  if (address.includes('%')) return undefined;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high = '0', low] =
    /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (low === undefined) return undefined;
  const bits = [parseInt(high, 16), parseInt(low, 16)];
  return bits.flatMap((half) => [half >> 8, half & 0xff]).join('.');
}

function blockList(...subnets: [net: string, prefix: number][]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, isIPv4(net) ? 'ipv4' : 'ipv6');
  return list;
}

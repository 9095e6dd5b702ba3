import { describe, expect, test } from "@jest/globals";
import { AllowedHosts, isHostEntry } from "./allowed-hosts.js";

const permits = (url: string, entries: string[]): boolean => new AllowedHosts(entries).permits(new URL(url));

describe("AllowedHosts", () => {
  test.each([
    ["https://hooks.example.com/x", ["hooks.example.com"], true],
    ["http://hooks.example.com/x", ["hooks.example.com"], false],
    ["http://hooks.example.com/x", ["hooks.example.com:80"], true],
    ["http://HOOKS.example.com:8080/x", ["hooks.Example.com:8080"], true],
    ["http://hooks.example.com:8081/x", ["hooks.example.com:8080"], false],
    ["http://[::1]:9000/", ["[::1]:9000"], true],
    ["http://hooks.example.com.evil.org/", ["hooks.example.com:80"], false],
    ["http://hooks.example.com:80@evil.org/", ["hooks.example.com:80"], false],
    ["http://user:pw@hooks.example.com/", ["hooks.example.com:80"], false],
    ["ftp://hooks.example.com/", ["hooks.example.com"], false],
    ["http://10.1.2.3/", ["10.0.0.0/8"], false],
  ])("the URL %p with the allowed hosts %p: %p", (url, entries, expected) => {
    expect(permits(url, entries)).toBe(expected);
  });

  test.each([
    ["https://hooks.example.com/", true],
    ["https://hooks.example.com:8443/", true],
    ["https://93.184.216.34/", true],
    ["https://[2606:4700::1111]/", true],
    ["http://hooks.example.com/", false],
    ["https://127.0.0.1/", false],
    ["https://0x7f.1/", false],
    ["https://10.0.0.1/", false],
    ["https://169.254.169.254/latest/meta-data", false],
    ["https://100.64.0.1/", false],
    ["https://[::1]/", false],
    ["https://[fe80::1]/", false],
    ["https://[fd00:ec2::254]/", false],
    ["https://[::ffff:10.0.0.1]/", false],
    ["https://[64:ff9b::a00:1]/", false],
    ["https://[2002:7f00:1::]/", false],
    ["https://168.63.129.16/", false],
    ["https://168.63.129.17/", true],
    ["https://161.26.0.10/", false],
    ["https://166.11.255.1/", false],
    ["https://199.36.153.4/", false],
    ["https://[2600:2d00:2:1000::1]/", false],
  ])("the URL %p without a list of allowed hosts: %p", (url, expected) => {
    expect(permits(url, [])).toBe(expected);
  });

  test.each([
    ["http://hooks.internal:8080/", "10.1.2.3", ["hooks.internal:8080"], false],
    ["http://hooks.internal:8080/", "10.1.2.3", ["hooks.internal:8080", "10.0.0.0/8"], true],
    ["http://hooks.internal:8080/", "fd00::7", ["hooks.internal:8080", "fd00::/8"], true],
    ["https://hooks.example.com/", "10.1.2.3", ["10.0.0.0/8"], false],
    ["http://hooks.internal:8080/", "93.184.216.34", ["hooks.internal:8080"], true],
    ["http://localhost:8080/", "127.0.0.1", ["localhost:8080"], true],
    ["https://localhost/", "::1", [], false],
    ["http://localhost.:8080/", "127.0.0.1", ["localhost.:8080"], true],
    ["http://hooks.internal:8080/", "fe80::1%eth0", ["hooks.internal:8080"], false],
  ])("the URL %p at the address %p with the allowed hosts %p: %p", (...[url, address, entries, expected]) => {
    expect(new AllowedHosts(entries).mayReach(new URL(url), address)).toBe(expected);
  });

  test.each([
    ...(["example.com", "example.com:8080", "[::1]:80", "10.0.0.0/8", "fd00::/8"].map((entry) => [entry, true]) as [
      string,
      boolean,
    ][]),
    ...(["", "https://x/y", "x/y", "10.0.0.0/33", "x:99999", "a b", "user@x"].map((entry) => [entry, false]) as [
      string,
      boolean,
    ][]),
  ])("%p is an entry of allowed hosts: %p", (entry, expected) => {
    expect(isHostEntry(entry)).toBe(expected);
  });
});

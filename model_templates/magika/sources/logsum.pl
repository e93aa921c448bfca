#!/usr/bin/perl
use strict;
use warnings;
use Getopt::Long;

my $limit = 10;
my %bytes;
my %hits;

GetOptions('limit=i' => \$limit) or die "usage: $0 [--limit N] FILE...\n";

while (my $line = <>) {
    chomp $line;
    next unless $line =~ m{^(\S+) \S+ \S+ \[[^\]]+\] "(\w+) (\S+)[^"]*" (\d{3}) (\d+|-)};
    my ($host, $method, $path, $status, $size) = ($1, $2, $3, $4, $5);
    $hits{$path}++;
    $bytes{$host} += $size eq '-' ? 0 : $size;
}

my @paths = sort { $hits{$b} <=> $hits{$a} || $a cmp $b } keys %hits;
splice @paths, $limit if @paths > $limit;
printf "%8d %s\n", $hits{$_}, $_ foreach @paths;

print "\n";
foreach my $host (sort { $bytes{$b} <=> $bytes{$a} } keys %bytes) {
    printf "%12s %s\n", $bytes{$host}, $host;
    last unless --$limit;
}
